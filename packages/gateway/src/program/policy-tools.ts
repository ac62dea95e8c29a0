// The tools of the configured servers, for checking policies against them.

import { isPlainObject, type JsonObject } from '@assent/core'
import type { KnownTool } from '@assent/policy'
import type { Config } from '../config/settings.ts'
import { checkedServers, serverLines } from './run-servers.ts'
import type { Terminal } from './terminal.ts'

export interface LiveTools {
  /** Whether every server could be used. */
  readonly ok: boolean
  readonly known: readonly KnownTool[]
}

/** Connects to every server; those that cannot be used are printed. */
export async function liveTools(config: Config, terminal: Terminal): Promise<LiveTools> {
  const known: KnownTool[] = []
  const servers = await checkedServers(config, (server, tools) =>
    known.push(...tools.map((tool) => toolOf(server, tool))),
  )
  const failed = servers.filter(({ ok }) => !ok)
  for (const line of serverLines(failed, terminal)) terminal.err(line)
  return { ok: failed.length === 0, known }
}

function toolOf(server: string, { name, inputSchema, annotations }: JsonObject): KnownTool {
  return {
    kind: 'tools',
    server,
    name: typeof name === 'string' ? name : '',
    ...(inputSchema === undefined ? {} : { schema: inputSchema }),
    ...(isPlainObject(annotations) ? { annotations: annotations as JsonObject } : {}),
  }
}
