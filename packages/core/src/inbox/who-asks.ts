// Who asks, as short texts for a row, a card or a notification.

import type { AskView } from './view.ts'

/** "Claude Code in notes-service (main)"; for a server behind the gateway its name, and the tool. */
export function whoAsks({ asker, caller = {} }: Pick<AskView, 'asker' | 'caller'>): string {
  if (asker.isAgent === true) return callerText({ ...caller, client: caller.client ?? asker.server })
  return asker.tool === undefined || asker.tool === asker.server ? asker.server : `${asker.server} · ${asker.tool}`
}

/** The program that called a server; empty if nothing is known about it. */
export function callerText({ client, folder, branch }: NonNullable<AskView['caller']>): string {
  const place = folder === undefined ? '' : `in ${folder}${branch === undefined ? '' : ` (${branch})`}`
  return [client ?? '', place].filter((text) => text !== '').join(' ')
}
