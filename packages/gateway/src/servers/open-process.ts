// Opens a server in a child process: finds its revision, and continues with the same process.

import type { Call, Upstream } from '../call/model.ts'
import { serverLimits } from '../limits.ts'
import { revision as newestRevision } from '../protocol/names-2026-07-28.ts'
import { within } from '../protocol/within.ts'
import type { OpenTransport } from './2025-11-25/session.ts'
import { type SessionfulOptions, Upstream20251125 } from './2025-11-25/upstream.ts'
import { withEnvelope } from './2026-07-28/envelope.ts'
import { ForSessions } from './2026-07-28/for-sessions.ts'
import { StdioUpstream20260728 } from './2026-07-28/stdio-upstream.ts'
import { BackOff } from './back-off.ts'
import { reporting } from './opening.ts'
import { ProbedProcess } from './probed-process.ts'
import type { Timeouts } from './timeouts.ts'

/** Starts a process, and reports to the back-off how it ended. */
export type StartProcess = (...on: [...Parameters<OpenTransport>, BackOff]) => ReturnType<OpenTransport>

type Options = Omit<SessionfulOptions, 'close'> & {
  readonly timeouts: Timeouts
  /** Called with the revision each time one is negotiated. */
  readonly onRevision: (revision: string) => void
}

/** @param backOff is kept for the next attempt to open the same server */
export async function openProcess(
  name: string,
  start: StartProcess,
  call: Call,
  backOff: BackOff,
  options: Options,
): Promise<Upstream> {
  backOff.check()
  const open: OpenTransport = (events) => start(events, backOff)
  const older = (opens: OpenTransport) =>
    new Upstream20251125(name, reporting(opens, options.onRevision), { ...options, close: () => undefined })
  // A separate back-off: the end of the probed process is not a failure. Older servers may exit at an unknown request.
  const probed = new ProbedProcess((events) => start(events, new BackOff()))
  const answer = probed.ask(withEnvelope({ ...call, params: {} }))
  const asNewest = () => {
    const upstream = new StdioUpstream20260728(name, firstOf(probed, open))
    upstream.begin(call)
    probed.decided()
    options.onRevision(newestRevision)
    return new ForSessions(upstream)
  }
  let first: Upstream | undefined
  try {
    if ((await within(serverLimits.probeMs, answer)) === 'newest') return asNewest()
    const upstream = older(firstOf(probed, open))
    first = upstream
    // A server that has not answered yet may still be starting, and then both requests wait for it.
    const until = performance.now() + options.timeouts.openMs
    const opening = upstream.describe(call).then(() => 'older' as const)
    // It may refuse `initialize` before it answers the probe. A server that answers neither in time has failed.
    const refused = opening.catch(async (error: unknown) => {
      if ((await within(Math.max(0, until - performance.now()), answer)) === 'newest') return 'newest' as const
      throw error
    })
    // A server of both generations answers both requests, and continues with `initialize`, the later one.
    const late = answer.then(async (found) =>
      found === 'newest' ? ((await within(serverLimits.probeMs, refused)) ?? found) : refused,
    )
    const supported = await Promise.race([refused, late])
    if (supported === 'newest') {
      await upstream.close()
      return asNewest()
    }
    probed.decided()
    return upstream
  } catch (error) {
    await first?.close()
    probed.close()
    if (probed.ended === undefined) throw error
    if (probed.ended.neverStarted) {
      backOff.ended(false, probed.ended.reason)
      throw new Error(probed.ended.reason)
    }
  }
  return opened(older(open), call)
}

/** The server, after it has returned its description. */
export async function opened(upstream: Upstream, call: Call): Promise<Upstream> {
  try {
    await upstream.describe(call)
    return upstream
  } catch (error) {
    await upstream.close()
    throw error
  }
}

/** Returns the probed process for the first connection; starts a new process for later ones. */
function firstOf(probed: ProbedProcess, open: OpenTransport): OpenTransport {
  let isNext = true
  return (events) => {
    if (!isNext) return open(events)
    isNext = false
    return probed.handTo(events)
  }
}
