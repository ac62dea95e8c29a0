// Who asks, as short texts for a row, a card or a notification.

import type { AskView } from './view.ts'

/** "Claude Code in notes-service (main)"; for a server behind the gateway its name, and the tool. */
export function whoAsks({ asker, caller = {} }: Pick<AskView, 'asker' | 'caller'>): string {
  if (asker.isAgent === true) return callerText({ ...caller, client: caller.client ?? asker.server })
  return asker.tool === undefined || asker.tool === asker.server ? asker.server : `${asker.server} · ${asker.tool}`
}

/** The same with the program that called the server, and the person if it is somebody else: as rows and cards show it. */
export function whoAsksInFull(ask: Pick<AskView, 'asker' | 'caller' | 'onBehalfOf'>): string {
  const { asker, caller = {}, onBehalfOf } = ask
  const program = asker.isAgent === true ? '' : callerText(caller)
  return [
    whoAsks(ask),
    ...(program === '' ? [] : [`called by ${program}`]),
    ...(onBehalfOf.isYou ? [] : [`for ${onBehalfOf.name}`]),
  ].join(', ')
}

/** The agent or the server, in one or two words. */
export function askerName({ asker, caller }: Pick<AskView, 'asker' | 'caller'>): string {
  return asker.isAgent === true ? (caller?.client ?? asker.server) : asker.server
}

/** The program that called a server; empty if nothing is known about it. */
export function callerText({ client, folder, branch }: NonNullable<AskView['caller']>): string {
  const place = folder === undefined ? '' : `in ${folder}${branch === undefined ? '' : ` (${branch})`}`
  return [client ?? '', place].filter((text) => text !== '').join(' ')
}
