// Finds out which revision a server speaks, and opens it in that one.
//
// The newest is tried first, with the request that only it knows. Whatever else comes back, in whatever words, means one
// of the older ones: servers refuse what they do not know in many ways.

import { upstreamLimits } from '../limits.ts'
import type { Call, Outcome, Upstream } from '../relay/exchange.ts'
import { Connections } from '../wire/connections.ts'
import { HttpWire } from './2025-11-25/http-wire.ts'
import { LegacySseWire } from './2025-11-25/legacy-sse-wire.ts'
import { OpenRefused } from './2025-11-25/session.ts'
import { type SessionfulOptions, Upstream20251125 } from './2025-11-25/upstream.ts'
import { ForSessions } from './2026-07-28/for-sessions.ts'
import { HttpUpstream20260728 } from './2026-07-28/http-upstream.ts'
import type { BackOff } from './back-off.ts'
import { type InnerServer, openInner } from './inner-server.ts'
import { opened, openProcess, type StartProcess } from './open-process.ts'
import type { ProcessCount } from './process-count.ts'
import { type StdioServer, StdioWire } from './stdio-wire.ts'

interface HttpServer {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

export type ServerConfig = (HttpServer | StdioServer | InnerServer) & {
  /** `call`: each call to a session-based server has a session, or a process, of its own. */
  readonly isolation?: 'session' | 'call'
  /** Processes of it at once. */
  readonly processes?: number
  /** It may ask people for secrets. What is started is given its token; others have it here. */
  readonly secrets?: { readonly token?: string }
  /** Answers that look like a secret may pass to it. */
  readonly allowsSecretAnswers?: true
}

export interface OpenOptions {
  readonly askWaitMs: number
  readonly onLog: (line: string) => void
  readonly onStray?: SessionfulOptions['onStray']
  readonly processes: ProcessCount
  /** Of the starts of its processes, for every attempt to open it. */
  readonly backOff: BackOff
  /** What a process is told of us when it is started. */
  readonly environment: () => Readonly<Record<string, string>>
}

/** @param call on whose behalf the question is put; it decides nothing but what the server sees of us */
export async function openUpstream(
  name: string,
  given: ServerConfig,
  call: Call,
  { askWaitMs, onLog, onStray, environment, backOff, processes }: OpenOptions,
): Promise<Upstream> {
  if ('connect' in given) return new ForSessions(openInner(name, given))
  if (!('url' in given)) {
    const config = withEnvironment(given, environment)
    const begin = () => processes.begin(name, given.processes)
    const start: StartProcess = (events, starts) => new StdioWire(config, events, onLog, starts, begin)
    const perCall = given.isolation === 'call' ? upstreamLimits.processes : undefined
    return openProcess(name, start, call, backOff, { askWaitMs, onStray, perCall })
  }
  const perCall = given.isolation === 'call' ? upstreamLimits.connections : undefined
  return openAddress(name, given, call, { askWaitMs, onStray, perCall })
}

async function openAddress(
  name: string,
  server: HttpServer,
  call: Call,
  older: Omit<SessionfulOptions, 'close'>,
): Promise<Upstream> {
  const url = new URL(server.url)
  const headers = lowerCased(server.headers ?? {})
  const newest = new HttpUpstream20260728(name, new Connections(url), headers)
  if (await speaksNewest(newest, call)) return new ForSessions(newest)
  await newest.close()
  const connections = new Connections(url)
  const options = { ...older, close: () => connections.close() }
  const streamable = new Upstream20251125(name, (events) => new HttpWire(connections, headers, events), options)
  try {
    return await opened(streamable, call)
  } catch (error) {
    // A server of the first transport knows no POST at its address.
    if (!(error instanceof OpenRefused && [400, 404, 405].includes(error.status ?? 0))) throw error
    const legacy = new Upstream20251125(name, (events) => new LegacySseWire(url, headers, events), options)
    return opened(legacy, call).catch(() => {
      throw error
    })
  }
}

/** Read anew for every process: what it is given is made for it. */
function withEnvironment(server: StdioServer, environment: OpenOptions['environment']): StdioServer {
  return {
    ...server,
    get env() {
      return { ...server.env, ...environment() }
    },
  }
}

async function speaksNewest(upstream: Upstream, call: Call): Promise<boolean> {
  const late = AbortSignal.timeout(upstreamLimits.openMs)
  const signal = AbortSignal.any([call.signal, late])
  const discover = { ...call, method: 'server/discover', params: {}, signal }
  let outcome: Outcome = await upstream.start(discover)
  // A server may speak the revision and refuse the first attempt for another reason; it says so by naming versions.
  if (outcome.kind === 'failed' && outcome.error.code === -32_022) outcome = await upstream.start(discover)
  // Silence says nothing about what it speaks.
  if (late.aborted) throw new Error('The server did not answer in time.')
  if (isUnreachable(outcome)) throw new Error(outcome.error.message)
  return outcome.kind === 'finished' && Array.isArray(outcome.result.supportedVersions)
}

/** So that a header of ours takes the place of one that was configured, and never stands beside it. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** A server that did not answer at all has not said which revision it speaks: the next call asks again. */
function isUnreachable(outcome: Outcome): outcome is Outcome & { kind: 'failed' } {
  return outcome.kind === 'failed' && outcome.isAway === true
}
