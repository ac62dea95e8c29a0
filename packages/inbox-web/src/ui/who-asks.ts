// Who asks, as short texts. Core has the same in `inbox/who-asks.ts`; the web app may import only types of core.

import type { AskView } from '@assent/core'

type Asking = Pick<AskView, 'asker' | 'caller'>

/** "Claude Code in notes-service (main)"; for a server behind the gateway its name, and the tool. */
export function whoAsks({ asker, caller = {} }: Asking): string {
  if (asker.isAgent === true) return callerText({ ...caller, client: caller.client ?? asker.server })
  return asker.tool === undefined || asker.tool === asker.server ? asker.server : `${asker.server} · ${asker.tool}`
}

/** The agent or the server, in one or two words. */
export function askerName({ asker, caller }: Asking): string {
  return asker.isAgent === true ? (caller?.client ?? asker.server) : asker.server
}

/** The program that called a server; empty if nothing is known about it. */
export function callerText({ client, folder, branch }: NonNullable<AskView['caller']>): string {
  const place = folder === undefined ? '' : `in ${folder}${branch === undefined ? '' : ` (${branch})`}`
  return [client ?? '', place].filter((text) => text !== '').join(' ')
}
