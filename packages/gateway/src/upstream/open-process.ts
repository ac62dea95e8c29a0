// Opens a server that is a child process, in the revision it speaks, on the process that was asked.

import { upstreamLimits } from '../limits.ts'
import type { Call, Upstream } from '../relay/exchange.ts'
import { revision as newestRevision } from '../wire/words-2026-07-28.ts'
import type { OpenWire } from './2025-11-25/session.ts'
import { type SessionfulOptions, Upstream20251125 } from './2025-11-25/upstream.ts'
import { withEnvelope } from './2026-07-28/envelope.ts'
import { ForSessions } from './2026-07-28/for-sessions.ts'
import { StdioUpstream20260728 } from './2026-07-28/stdio-upstream.ts'
import { BackOff } from './back-off.ts'
import { reporting } from './opening.ts'
import { ProbedProcess } from './probed-process.ts'
import type { Timeouts } from './timeouts.ts'

/** Starts a process, and reports to the back-off how it ended. */
export type StartProcess = (...on: [...Parameters<OpenWire>, BackOff]) => ReturnType<OpenWire>

type Options = Omit<SessionfulOptions, 'close'> & {
  readonly timeouts: Timeouts
  /** Called with the revision that is spoken, each time it is known. */
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
  const open: OpenWire = (events) => start(events, backOff)
  const older = (opens: OpenWire) =>
    new Upstream20251125(name, reporting(opens, options.onRevision), { ...options, close: () => undefined })
  // Its end is not held against the server: one of an older revision may end at a request that it does not know.
  const probed = new ProbedProcess((events) => start(events, new BackOff()))
  const answer = probed.ask(withEnvelope({ ...call, params: {} }))
  const asNewest = () => {
    const upstream = new StdioUpstream20260728(name, firstOf(probed, open))
    upstream.begin(call)
    probed.decided()
    options.onRevision(newestRevision)
    return new ForSessions(upstream)
  }
  try {
    if ((await within(answer, upstreamLimits.probeMs)) === 'newest') return asNewest()
    const upstream = older(firstOf(probed, open))
    // A server that has not answered yet may still be starting, and then both requests wait for it.
    const until = performance.now() + options.timeouts.openMs
    const opening = upstream.describe(call).then(() => 'older' as const)
    // It may refuse the second before it answers the first. A server that has answered neither has had its time.
    const refused = opening.catch(async (error: unknown) => {
      if ((await within(answer, Math.max(0, until - performance.now()))) === 'newest') return 'newest' as const
      throw error
    })
    // A server of both generations answers both requests, and goes on with the second, which came last.
    const late = answer.then(async (said) =>
      said === 'newest' ? ((await within(refused, upstreamLimits.probeMs)) ?? said) : refused,
    )
    const speaks = await Promise.race([refused, late])
    if (speaks === 'newest') {
      await upstream.close()
      return asNewest()
    }
    probed.decided()
    return upstream
  } catch (error) {
    probed.close()
    if (probed.ended === undefined) throw error
    if (probed.ended.neverStarted) {
      backOff.ended(false, probed.ended.reason)
      throw new Error(probed.ended.reason)
    }
  }
  return opened(older(open), call)
}

/** The server when it has said what it is. */
export async function opened(upstream: Upstream, call: Call): Promise<Upstream> {
  try {
    await upstream.describe(call)
    return upstream
  } catch (error) {
    await upstream.close()
    throw error
  }
}

/** The process that was asked is handed out as the first; later ones are started. */
function firstOf(probed: ProbedProcess, open: OpenWire): OpenWire {
  let isNext = true
  return (events) => {
    if (!isNext) return open(events)
    isNext = false
    return probed.handTo(events)
  }
}

async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | undefined> {
  const timer = Promise.withResolvers<undefined>()
  const timeout = setTimeout(() => timer.resolve(undefined), ms)
  try {
    return await Promise.race([promise, timer.promise])
  } finally {
    clearTimeout(timeout)
  }
}
