// Finds out which revision a server speaks, and opens it in that one.
//
// The newest is tried first, with the request that only it knows. Whatever else comes back, in whatever words, means one
// of the older ones: servers refuse what they do not know in many ways.

import type { Surface } from '@assent/core'
import { upstreamLimits } from '../limits.ts'
import { bareReason, type Call, type Outcome, type Upstream } from '../relay/exchange.ts'
import type { NamingRules } from '../relay/naming.ts'
import { Connections } from '../wire/connections.ts'
import { revision as newestRevision } from '../wire/words-2026-07-28.ts'
import { HttpWire } from './2025-11-25/http-wire.ts'
import { LegacySseWire } from './2025-11-25/legacy-sse-wire.ts'
import { OpenRefused, type OpenWire } from './2025-11-25/session.ts'
import { type SessionfulOptions, Upstream20251125 } from './2025-11-25/upstream.ts'
import { ForSessions } from './2026-07-28/for-sessions.ts'
import { HttpUpstream20260728 } from './2026-07-28/http-upstream.ts'
import type { BackOff } from './back-off.ts'
import type { ForwardedHeaders } from './forwarded-headers.ts'
import { type InnerServer, openInner } from './inner-server.ts'
import { opened, openProcess, type StartProcess } from './open-process.ts'
import { type Found, reporting, type Track, type Transport, untilAborted } from './opening.ts'
import type { ProcessCount } from './process-count.ts'
import { type StdioServer, StdioWire } from './stdio-wire.ts'
import { type TimeoutSettings, type Timeouts, timeoutsOf } from './timeouts.ts'

interface HttpServer {
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
}

export type ServerConfig = (HttpServer | StdioServer | InnerServer) & ServerRules & NamingRules

/** Whatever kind of server it is. A change of these opens it again; one of `NamingRules` does not. */
export interface ServerRules {
  /** Where its questions are put; where all are put, unless given. The capabilities it sees depend on it. */
  readonly surfaces?: readonly Surface[]
  /** `call`: each call to a session-based server has a session, or a process, of its own. */
  readonly isolation?: 'session' | 'call'
  /** Processes of it at once. */
  readonly processes?: number
  /** It may ask people for secrets. What is started is given its token; others have it here. */
  readonly secrets?: { readonly token?: string }
  /** Answers that look like a secret may pass to it. */
  readonly allowsSecretAnswers?: true
  readonly timeouts?: TimeoutSettings
  /** Headers of clients' requests that it gets. */
  readonly forwardHeaders?: readonly string[]
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
  /** Called with how the server speaks, each time that is known. */
  readonly onFound?: (found: Found) => void
  /** Aborts when the server is no longer needed: what is being opened is given up. */
  readonly closing?: AbortSignal
  readonly timeouts?: Timeouts
  readonly forwarded?: ForwardedHeaders
}

/** @param call on whose behalf the question is put; it decides nothing but what the server sees of us */
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
  { askWaitMs, onLog, onStray, environment, backOff, processes, onFound, timeouts = timeoutsOf() }: OpenOptions,
  track: Track,
): Promise<Upstream> {
  const config = withEnvironment(given, environment)
  const begin = () => processes.begin(name, given.processes)
  const start: StartProcess = (events, starts) => track((to) => new StdioWire(config, to, onLog, starts, begin))(events)
  const perCall = given.isolation === 'call' ? upstreamLimits.processes : undefined
  const onRevision = (revision: string) => onFound?.({ transport: 'stdio', revision })
  return openProcess(name, start, call, backOff, { askWaitMs, onStray, perCall, onRevision, timeouts })
}

async function openAddress(
  name: string,
  server: HttpServer & ServerConfig,
  call: Call,
  { askWaitMs, onStray, onFound, timeouts = timeoutsOf(), forwarded }: OpenOptions,
  track: Track,
): Promise<Upstream> {
  const url = new URL(server.url)
  const headers = lowerCased(server.headers ?? {})
  const newest = new HttpUpstream20260728(name, new Connections(url, forwarded?.current), headers)
  try {
    if (await speaksNewest(newest, call, timeouts)) {
      onFound?.({ transport: 'streamable-http', revision: newestRevision })
      return new ForSessions(newest)
    }
  } catch (error) {
    await newest.close()
    throw error
  }
  await newest.close()
  const connections = new Connections(url, forwarded?.current)
  const perCall = server.isolation === 'call' ? upstreamLimits.connections : undefined
  const options = { askWaitMs, onStray, perCall, timeouts, close: () => connections.close() }
  const over = (transport: Transport, open: OpenWire) => {
    const reported = reporting(open, (revision) => onFound?.({ transport, revision }))
    return opened(new Upstream20251125(name, track(reported), options), call)
  }
  try {
    return await over('streamable-http', (events) => new HttpWire(connections, headers, events))
  } catch (error) {
    // A server of the first transport knows no POST at its address.
    if (!(error instanceof OpenRefused && [400, 404, 405].includes(error.status ?? 0))) throw error
    return over('http+sse', (events) => new LegacySseWire(url, headers, events, forwarded?.current)).catch(() => {
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

async function speaksNewest(upstream: Upstream, call: Call, { openMs }: Timeouts): Promise<boolean> {
  const late = AbortSignal.timeout(openMs)
  const signal = AbortSignal.any([call.signal, late])
  const discover = { ...call, method: 'server/discover', params: {}, signal }
  let outcome: Outcome = await upstream.start(discover)
  // A server may speak the revision and refuse the first attempt for another reason; it says so by naming versions.
  if (outcome.kind === 'failed' && outcome.error.code === -32_022) outcome = await upstream.start(discover)
  // Silence says nothing about what it speaks.
  if (late.aborted) throw new Error('The server did not answer in time.')
  if (isUnreachable(outcome)) throw new Error(bareReason(outcome.error.message))
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
