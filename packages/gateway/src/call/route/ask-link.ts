// The address of an ask in the inbox, for the texts that agents and clients show. It carries no authority: the page
// requires a session of its own.

/** The address of the inbox; a function if it changes. Undefined while no process serves it. */
export type InboxUrl = string | (() => string | undefined)

export function askLink(inboxUrl: string, askId: string): string
export function askLink(inboxUrl: InboxUrl | undefined, askId: string): string | undefined
export function askLink(inboxUrl: InboxUrl | undefined, askId: string): string | undefined {
  const base = typeof inboxUrl === 'function' ? inboxUrl() : inboxUrl
  return base === undefined ? undefined : new URL(`/asks/${askId}`, base).href
}
