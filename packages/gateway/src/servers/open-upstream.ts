// Finds out which revision a server supports, and opens it in that one.
//
// The gateway tries the newest revision first, with `server/discover`, which no older revision has. Any response but a
// valid result means an older revision, because servers refuse unknown requests in many ways.

import type { Surface } from '@assent/core'
import { bareReason, type Call, type Outcome, type Upstream } from '../call/model.ts'
import type { NamingRules } from '../call/naming.ts'
import { serverLimits } from '../limits.ts'
import { Connections } from '../protocol/connections.ts'
import { revision as newestRevision } from '../protocol/names-2026-07-28.ts'
import { HttpTransport } from './2025-11-25/http-transport.ts'
import { LegacySseTransport } from './2025-11-25/legacy-sse-transport.ts'
import { OpenRefused, type OpenTransport } from './2025-11-25/session.ts'
import { type SessionfulOptions, Upstream20251125 } from './2025-11-25/upstream.ts'
import { ForSessions } from './2026-07-28/for-sessions.ts'
import { HttpUpstream20260728 } from './2026-07-28/http-upstream.ts'
import type { BackOff } from './back-off.ts'
import type { ForwardedHeaders } from './forwarded-headers.ts'
import { type InnerServer, openInner } from './inner-server.ts'
import { opened, openProcess, type StartProcess } from './open-process.ts'
import { type DetectedServer, reporting, type Track, type TransportName, untilAborted } from './opening.ts'
import type { ProcessCount } from './process-count.ts'
import type { StdioServer } from './stdio-server.ts'
import { StdioTransport } from './stdio-transport.ts'
import { type TimeoutSettings, type Timeouts, timeoutsOf } from './timeouts.ts'

interface HttpServer {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

export type ServerConfig = (HttpServer | StdioServer | InnerServer) & ServerRules & NamingRules

/** Settings of every kind of server. A change of these reopens the server; a change of `NamingRules` does not. */
export interface ServerRules {
  /** The surfaces for its questions; default: the gateway's. The capabilities that it sees depend on them. */
  readonly surfaces?: readonly Surface[]
  /** `call`: each call to a session-based server gets a separate session or process. */
  readonly isolation?: 'session' | 'call'
  /** Most concurrent processes of this server. */
  readonly processes?: number
  /** It may ask people for secrets. A started process receives its token; for other servers it is configured here. */
  readonly secrets?: { readonly token?: string }
  /** Answers that look like secrets may be sent to it. */
  readonly allowsSecretAnswers?: true
  readonly timeouts?: TimeoutSettings
  /** Headers of client requests that are forwarded to it. */
  readonly forwardHeaders?: readonly string[]
}

export interface OpenOptions {
  readonly askWaitMs: number
  readonly onLog: (line: string) => void
  readonly onStray?: SessionfulOptions['onStray']
  readonly onToolsChanged?: SessionfulOptions['onToolsChanged']
  readonly processes: ProcessCount
  /** For the starts of its processes, shared by all attempts to open it. */
  readonly backOff: BackOff
  /** Environment variables that the gateway adds for a started process. */
  readonly environment: () => Readonly<Record<string, string>>
  /** Called with the transport and revision, each time they are found. */
  readonly onFound?: (found: DetectedServer) => void
  /** Aborts when the server is no longer needed; opening it then stops. */
  readonly closing?: AbortSignal
  readonly timeouts?: Timeouts
  readonly forwarded?: ForwardedHeaders
}

/** @param call the call that opens the server; it only determines which client info the server sees */
export async function openUpstream(
  name: string,
  given: ServerConfig,
  call: Call,
  options: OpenOptions,
): Promise<Upstream> {
  if ('connect' in given) return new ForSessions(openInner(name, given))
  const { closing = new AbortController().signal } = options
  const wanted = { ...call, signal: AbortSignal.any([call.signal, closing]) }
  return untilAborted(closing, (track) =>
    'url' in given ? openAddress(name, given, wanted, options, track) : openCommand(name, given, call, options, track),
  )
}

function openCommand(
  name: string,
  given: StdioServer & ServerConfig,
  call: Call,
  options: OpenOptions,
  track: Track,
): Promise<Upstream> {
  const { askWaitMs, onStray, onToolsChanged, onLog, backOff, processes, onFound, timeouts = timeoutsOf() } = options
  const config = withEnvironment(given, options.environment)
  const begin = () => processes.begin(name, given.processes)
  const start: StartProcess = (events, starts) =>
    track((to) => new StdioTransport(config, to, onLog, starts, begin))(events)
  const perCall = given.isolation === 'call' ? serverLimits.processes : undefined
  const onRevision = (revision: string) => onFound?.({ transport: 'stdio', revision })
  const events = { onStray, onToolsChanged, onRevision }
  return openProcess(name, start, call, backOff, { askWaitMs, perCall, timeouts, ...events })
}

async function openAddress(
  name: string,
  server: HttpServer & ServerConfig,
  call: Call,
  { askWaitMs, onStray, onToolsChanged, onFound, timeouts = timeoutsOf(), forwarded }: OpenOptions,
  track: Track,
): Promise<Upstream> {
  const url = new URL(server.url)
  const headers = lowerCased(server.headers ?? {})
  const newest = new HttpUpstream20260728(name, new Connections(url, forwarded?.current), headers)
  try {
    if (await supportsNewest(newest, call, timeouts)) {
      onFound?.({ transport: 'streamable-http', revision: newestRevision })
      return new ForSessions(newest)
    }
  } catch (error) {
    await newest.close()
    throw error
  }
  await newest.close()
  const connections = new Connections(url, forwarded?.current)
  const perCall = server.isolation === 'call' ? serverLimits.connections : undefined
  const options = { askWaitMs, onStray, onToolsChanged, perCall, timeouts, close: () => connections.close() }
  const over = (transport: TransportName, open: OpenTransport) => {
    const reported = reporting(open, (revision) => onFound?.({ transport, revision }))
    return opened(new Upstream20251125(name, track(reported), options), call)
  }
  try {
    return await over('streamable-http', (events) => new HttpTransport(connections, headers, events))
  } catch (error) {
    // A server of the HTTP+SSE transport refuses POST at its address.
    if (!(error instanceof OpenRefused && [400, 404, 405].includes(error.status ?? 0))) throw error
    return over('http+sse', (events) => new LegacySseTransport(url, headers, events, forwarded?.current)).catch(() => {
      throw error
    })
  }
}

/** Evaluated for every process: the values are generated per process. */
function withEnvironment(server: StdioServer, environment: OpenOptions['environment']): StdioServer {
  return {
    ...server,
    get env() {
      return { ...server.env, ...environment() }
    },
  }
}

async function supportsNewest(upstream: Upstream, call: Call, { openMs }: Timeouts): Promise<boolean> {
  const late = AbortSignal.timeout(openMs)
  const signal = AbortSignal.any([call.signal, late])
  const discover = { ...call, method: 'server/discover', params: {}, signal }
  let outcome: Outcome = await upstream.start(discover)
  // A server may support the revision and still refuse the first attempt with `unsupported version`: try once more.
  if (outcome.kind === 'failed' && outcome.error.code === -32_022) outcome = await upstream.start(discover)
  // A timeout does not show which revision the server supports.
  if (late.aborted) throw new Error('The server did not respond in time.')
  if (isUnreachable(outcome)) throw new Error(bareReason(outcome.error.message))
  return outcome.kind === 'finished' && Array.isArray(outcome.result.supportedVersions)
}

/** So that the gateway's headers replace configured ones instead of duplicating them. */
function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

/** Whether the server did not answer at all. Its revision is then unknown, and the next call probes again. */
function isUnreachable(outcome: Outcome): outcome is Outcome & { kind: 'failed' } {
  return outcome.kind === 'failed' && outcome.isAway === true
}
