// Connects to every configured server as the gateway would, and reports what it found or why a server cannot be used.
//
// All are checked concurrently, each within its start limit. Everything that was started is stopped before this
// returns.

import type { JsonObject } from '@assent/core'
import { onlyTenant } from '../call/local-person.ts'
import { bareReason, type Call, type Upstream } from '../call/model.ts'
import type { Naming } from '../call/naming.ts'
import { noTelemetry } from '../call/telemetry-port.ts'
import { everyTool, isOffered } from '../call/tool-rules.ts'
import { stringAt } from '../protocol/messages.ts'
import { LastLines } from './last-lines.ts'
import type { ServerConfig } from './open-upstream.ts'
import type { DetectedServer } from './opening.ts'
import { groupsEnded } from './process-group.ts'
import { Servers, type ServersOptions } from './servers.ts'
import { timeoutsOf } from './timeouts.ts'

export type CheckedServer =
  | (DetectedServer & {
      readonly name: string
      readonly ok: true
      /** Number of tools that clients may use. */
      readonly tools: number
      /** Number of tools hidden by the setting `tools`. */
      readonly hiddenTools: number
      /** The server's names of tools whose prefixed name is too long, so that clients get a shortened one. */
      readonly shortened?: readonly string[]
      /** From the start, or the first request, until the server returned its description. */
      readonly startMs: number
    })
  | { readonly name: string; readonly ok: false; readonly reason: string }

export interface CheckOptions extends Pick<ServersOptions, 'secretsOf'> {
  readonly askWaitMs: number
  /** Aborts when the result is no longer needed. */
  readonly signal: AbortSignal
  /** Called with the definitions of the tools that clients may use. */
  readonly onTools?: (server: string, tools: readonly JsonObject[]) => void
}

const maxPages = 100

export async function checkServers(
  configs: Readonly<Record<string, ServerConfig>>,
  { askWaitMs, signal, secretsOf, onTools }: CheckOptions,
): Promise<CheckedServer[]> {
  const found = new Map<string, DetectedServer>()
  const printed = new Map(Object.entries(configs).map(([name, config]) => [name, linesOf(config)]))
  const servers = new Servers({
    watch: noTelemetry,
    onServerLog: (name, line) => printed.get(name)?.add(line),
    onFound: (name, how) => found.set(name, how),
    ...(secretsOf === undefined ? {} : { secretsOf }),
  })
  servers.use(configs, askWaitMs)
  try {
    return await Promise.all(
      servers.names.map(async (name): Promise<CheckedServer> => {
        try {
          const server = await servers.find(name)
          const checked = await checkServer(server, configs[name] ?? {}, servers.naming, { signal, onTools })
          const how = found.get(name) ?? { transport: 'in-process', revision: '' }
          return { name, ok: true, ...how, ...checked }
        } catch (error) {
          const lines = error instanceof TimedOut ? (printed.get(name)?.text() ?? '') : ''
          return { name, ok: false, reason: `${bareReason(error)}${lines}` }
        }
      }),
    )
  } finally {
    await servers.close()
    await groupsEnded()
  }
}

/** The server did not answer in time. */
class TimedOut extends Error {}

type Settings = Pick<ServerConfig, 'timeouts' | 'tools'>
type ServerDetails = Pick<Extract<CheckedServer, { ok: true }>, 'tools' | 'hiddenTools' | 'shortened' | 'startMs'>

async function checkServer(
  server: Upstream,
  { timeouts, tools }: Settings,
  naming: Naming,
  { signal, onTools }: { readonly signal: AbortSignal; readonly onTools: CheckOptions['onTools'] },
): Promise<ServerDetails> {
  const began = performance.now()
  const call = callOf(signal)
  const limitMs = timeoutsOf(timeouts).openMs
  const { capabilities } = await inTime(server.describe(call), limitMs, signal)
  const startMs = Math.round(performance.now() - began)
  const all = capabilities.tools === undefined ? [] : await inTime(toolsOf(server, call), limitMs, signal)
  const names = all.map(nameOf)
  const offered = all.filter((tool) => isOffered(tools ?? everyTool, nameOf(tool)))
  onTools?.(server.name, offered)
  const details = { tools: offered.length, hiddenTools: all.length - offered.length, startMs }
  const shortened = names.filter((name) => naming.isShortened(server.name, name))
  return shortened.length === 0 ? details : { ...details, shortened }
}

function nameOf(tool: JsonObject): string {
  return stringAt(tool, 'name') ?? ''
}

async function toolsOf(server: Upstream, call: Call): Promise<JsonObject[]> {
  const all: JsonObject[] = []
  let params = {}
  for (let page = 0; page < maxPages; page++) {
    const outcome = await server.start({ ...call, method: 'tools/list', params })
    if (outcome.kind === 'failed') throw new Error(`It does not list its tools. ${outcome.error.message}`)
    const { tools, nextCursor } = outcome.kind === 'finished' ? outcome.result : {}
    if (!Array.isArray(tools)) throw new Error('It does not list its tools: the reply to tools/list has no list.')
    all.push(...(tools as JsonObject[]))
    if (nextCursor === undefined) return all
    params = { cursor: nextCursor }
  }
  return all
}

async function inTime<Value>(work: Promise<Value>, limitMs: number, signal: AbortSignal): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const late = new TimedOut(
    `The server did not respond within ${limitMs / 1_000} s (limits.server_open_within, or timeouts of the server).`,
  )
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

/** Declares every capability, so that no server hides a tool. */
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
