// Connects to every configured server as the gateway would, and reports what each is or why it cannot be used.
//
// All are checked at once, each within its start limit. Whatever was started for it is stopped before this returns.

import { upstreamLimits } from '../limits.ts'
import { onlyTenant } from '../local-person.ts'
import { bareReason, type Call, type Upstream } from '../relay/exchange.ts'
import { LastLines } from '../upstream/last-lines.ts'
import type { ServerConfig } from '../upstream/open-upstream.ts'
import type { Found } from '../upstream/opening.ts'
import { groupsEnded } from '../upstream/process-group.ts'
import { nobodyWatches } from '../watch/watch.ts'
import { Servers, type ServersOptions } from './servers.ts'

export type CheckedServer =
  | (Found & {
      readonly name: string
      readonly ok: true
      /** As a client would list them. */
      readonly tools: number
      /** From the start, or the first request, until the server had said what it is. */
      readonly startMs: number
    })
  | { readonly name: string; readonly ok: false; readonly reason: string }

export interface CheckOptions extends Pick<ServersOptions, 'secretsOf'> {
  readonly askWaitMs: number
  /** Aborts when nobody waits for the result any more. */
  readonly signal: AbortSignal
}

const pages = 100

export async function checkServers(
  configs: Readonly<Record<string, ServerConfig>>,
  { askWaitMs, signal, secretsOf }: CheckOptions,
): Promise<CheckedServer[]> {
  const found = new Map<string, Found>()
  const printed = new Map(Object.entries(configs).map(([name, config]) => [name, linesOf(config)]))
  const servers = new Servers({
    watch: nobodyWatches,
    onServerLog: (name, line) => printed.get(name)?.add(line),
    onFound: (name, how) => found.set(name, how),
    ...(secretsOf === undefined ? {} : { secretsOf }),
  })
  servers.use(configs, askWaitMs)
  try {
    return await Promise.all(
      servers.names.map(async (name): Promise<CheckedServer> => {
        try {
          const checked = await look(await servers.find(name), signal)
          const how = found.get(name) ?? { transport: 'in-process', revision: '' }
          return { name, ok: true, ...how, ...checked }
        } catch (error) {
          const lines = error instanceof Silent ? (printed.get(name)?.text() ?? '') : ''
          return { name, ok: false, reason: `${bareReason(error)}${lines}` }
        }
      }),
    )
  } finally {
    await servers.close()
    await groupsEnded()
  }
}

/** It did not answer in time. */
class Silent extends Error {}

async function look(server: Upstream, signal: AbortSignal): Promise<{ tools: number; startMs: number }> {
  const began = performance.now()
  const call = callOf(signal)
  const { capabilities } = await inTime(server.describe(call), signal)
  const startMs = Math.round(performance.now() - began)
  const tools = capabilities.tools === undefined ? 0 : await inTime(countTools(server, call), signal)
  return { tools, startMs }
}

async function countTools(server: Upstream, call: Call): Promise<number> {
  let count = 0
  let params = {}
  for (let page = 0; page < pages; page++) {
    const outcome = await server.start({ ...call, method: 'tools/list', params })
    if (outcome.kind === 'failed') throw new Error(`It does not list its tools. ${outcome.error.message}`)
    const { tools, nextCursor } = outcome.kind === 'finished' ? outcome.result : {}
    if (!Array.isArray(tools)) throw new Error('It does not list its tools: the reply to tools/list has no list.')
    count += tools.length
    if (nextCursor === undefined) return count
    params = { cursor: nextCursor }
  }
  return count
}

async function inTime<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const limitMs = upstreamLimits.openMs
  const late = new Silent(`The server did not answer within ${limitMs / 1_000} s (limits.server_open_within).`)
  const timer = setTimeout(() => reject(late), limitMs)
  const abort = () => reject(new Error('The check was stopped.'))
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
  }
}

/** A client that can show everything, so that no server hides a tool from it. */
function callOf(signal: AbortSignal): Call {
  const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
  return {
    tenant: onlyTenant,
    principal: 'check',
    scope: 'check',
    method: 'initialize',
    params: {},
    client: { info: { name: 'assent', version: '0' }, declared: capabilities, capabilities },
    notify: () => undefined,
    signal,
  }
}

function linesOf(config: ServerConfig): LastLines | undefined {
  return 'command' in config ? new LastLines(config) : undefined
}
