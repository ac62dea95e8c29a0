// A run whose asks and steps are reported.
//
// On 2026-07-28 a handler runs again in every round. Only what is new in this round is reported: the journal as it was when
// the round started says what is not.

import type { Description } from '../ask/describe.ts'
import { askLabel } from '../ask/label.ts'
import type { Run } from '../ask/run.ts'
import { ownStepPrefix } from '../ask/step.ts'
import { fingerprintOf, type Journal } from '../journal/journal.ts'
import { never } from '../never.ts'
import type { Observer } from './hooks.ts'
import { tracedStep } from './trace.ts'

export function observedRun(run: Run, observer: Observer, handler: string | undefined, journal?: Journal): Run {
  const before = snapshot(journal)
  const { callId } = run
  return {
    callId,
    surface: run.surface,
    asksSecrets: run.asksSecrets,
    promises: run.promises,
    isLate: (description) => run.isLate(description),
    put: async (...given: Parameters<Run['put']>) => {
      const [description] = given
      if (run.isLate(description)) return never()
      const known = before.ask(description)
      const { kind, options } = description
      const event = { handler, callId, kind, question: askLabel(description), risk: options.risk }
      if (known === undefined) observer.asked(event)
      const settled = await run.put(...given)
      if (known !== 'ended') observer.answered({ ...event, askId: settled.askId, outcome: settled.ending.kind })
      return settled
    },
    once: async (...given: Parameters<Run['once']>) => {
      const [name, work, options] = given
      const step = reportedStep(name)
      // A step without work is refused by the run.
      const isReported = step !== undefined && typeof work === 'function' && !before.hasStep(name)
      if (!isReported) return run.once(...given)
      const startedAt = performance.now()
      let hasRun = false
      const ran: typeof work = (context) => {
        hasRun = true
        return work(context)
      }
      // Not if its result came from another process, or if it was refused before it ran.
      const report = (outcome: 'done' | 'failed') => {
        if (hasRun) observer.stepped({ handler, callId, step, outcome, durationMs: performance.now() - startedAt })
      }
      const broken = Promise.withResolvers<never>()
      let isBroken = false
      const onBroken = (error: unknown) => {
        isBroken = true
        broken.reject(error)
      }
      try {
        const once = () => Promise.race([run.once(name, ran, { ...options, onBroken }), broken.promise])
        const result = await tracedStep(step, once)
        report('done')
        return result
      } catch (error) {
        report('failed')
        // The handler gets nothing any more.
        if (isBroken) return new Promise(() => undefined)
        throw error
      }
    },
    runsAgain: run.runsAgain,
    ended: run.ended,
  }
}

/** Of the SDK's own steps only the work of a gate is reported. */
function reportedStep(name: unknown): string | undefined {
  // The run refuses any other name.
  if (typeof name !== 'string') return undefined
  if (!name.startsWith(ownStepPrefix)) return name
  const own = name.slice(ownStepPrefix.length)
  return own.startsWith('gate ') ? own : undefined
}

function snapshot(journal: Journal | undefined) {
  const asks = journal?.asks.map(({ fingerprint, ended }) => ({ fingerprint, isEnded: ended !== undefined })) ?? []
  const steps = new Set(journal?.steps.keys())
  const counts = new Map<string, number>()
  return {
    /** Whether this question, asked as often as it was in this round, was asked or has ended in an earlier one. */
    ask(description: Description): 'open' | 'ended' | undefined {
      const fingerprint = fingerprintOf(description)
      const count = counts.get(fingerprint) ?? 0
      counts.set(fingerprint, count + 1)
      const entry = asks.filter((one) => one.fingerprint === fingerprint)[count]
      if (entry === undefined) return undefined
      return entry.isEnded ? 'ended' : 'open'
    },
    hasStep: (name: string) => steps.has(name),
  }
}
