// A handler that waits: its questions are put on a surface, and it continues when the answer arrives.
//
// A timer here ends an unanswered question, unless the surface does that itself (an Assent gateway, whose database
// clock decides); then the timer only guards against a surface that is stuck. If the ask is in a store
// too, the store decides: an answer that arrived before the ask could be withdrawn is used. When the call is
// cancelled or the handler has ended, open questions are withdrawn.

import { AssentError } from '@assent/core'
import { AuthorPromises } from '../ask/author-promises.ts'
import type { Description } from '../ask/describe.ts'
import type { Ending, EndOfCall } from '../ask/ending.ts'
import { hasDefaultWait, waitOf, wrongSurfaceReason } from '../ask/options.ts'
import type { AskRecord, OnceOptions, Run, RunSettings, Settlement } from '../ask/run.ts'
import type { StepContext } from '../ask/step.ts'
import { sdkLimits } from '../limits.ts'
import { never } from '../never.ts'
import type { Reply, Surface } from '../surface.ts'
import { settleAnswer } from './human-check.ts'
import { reportLateAsk } from './late-ask.ts'
import { attemptStep, checkStepOptions, checkWork, currentStep } from './step-attempts.ts'
import { type StepOutcome, stepResult } from './step-entry.ts'
import { askInStep, checkStepName, duplicateStepName, stepInStep } from './steps.ts'

/** Node fires longer timers at once. */
const longestTimerMs = 2 ** 31 - 1
const timedOut = Symbol('timed out')
const callerCancelled = Symbol('the caller cancelled the call')
const handlerEnded = Symbol('the handler has ended')

export class LiveRun implements Run {
  readonly callId: string
  readonly asksSecrets: boolean
  readonly runsAgain = false
  readonly promises: AuthorPromises
  readonly #surface: Surface
  readonly #settings: RunSettings
  readonly #names = new Set<string>()
  readonly #ended = new AbortController()
  #open = 0
  #broken: unknown
  #hasThrown = false
  /** The handler has returned or thrown. */
  #isOver = false

  constructor(callId: string, surface: Surface, runSettings: RunSettings, signal?: AbortSignal) {
    this.callId = callId
    this.asksSecrets = surface.name === 'terminal'
    this.#surface = surface
    this.#settings = runSettings
    this.promises = new AuthorPromises(runSettings.onError)
    const cancel = () => this.#ended.abort(callerCancelled)
    if (signal?.aborted === true) cancel()
    signal?.addEventListener('abort', cancel, { once: true, signal: this.#ended.signal })
  }

  /** Runs the handler to its end. A mistake in how it asks is the outcome, even if the handler catches it. */
  async end<Value>(handler: Promise<Value>): Promise<Value> {
    try {
      const value = await handler
      const error = this.#broken ?? this.promises.unawaitedAsk()
      if (error !== undefined) throw error
      return value
    } catch (error) {
      this.#hasThrown = true
      throw this.#broken ?? error
    } finally {
      this.#isOver = true
      this.promises.end()
      this.#ended.abort(handlerEnded)
    }
  }

  get ended(): AbortSignal {
    return this.#ended.signal
  }

  get surface(): Surface['name'] {
    return this.#surface.name
  }

  isLate(description: Description): boolean {
    // After a mistake, or for a cancelled call, the reason is another one.
    if (!this.#isOver || this.#broken !== undefined || this.#ended.signal.reason === callerCancelled) return false
    // A handler that failed left its other branches behind.
    if (!this.#hasThrown) reportLateAsk(description, this.#settings)
    return true
  }

  async put(description: Description, askRecord?: AskRecord): Promise<Settlement> {
    if (this.#broken !== undefined) throw this.#broken
    if (this.isLate(description)) return never()
    const step = currentStep(this.callId)
    if (step !== undefined) throw this.#break(askInStep(step))
    if (this.#open === sdkLimits.asksAtOnce) {
      const most = `At most ${sdkLimits.asksAtOnce} questions can be open at once.`
      throw this.#break(new AssentError('limit_exceeded', most))
    }
    this.#open++
    try {
      return await this.#put(description, askRecord)
    } finally {
      this.#open--
    }
  }

  /** Not recorded in a store: the handler runs once, and no state could bring this call back. */
  async once(
    name: string,
    work: (context: StepContext) => unknown,
    { isOwn = false, label = name, before: _, onBroken: __, ...options }: OnceOptions = {},
  ): Promise<unknown> {
    if (this.#broken !== undefined) throw this.#broken
    if (this.#isOver) return never()
    let outcome: StepOutcome
    try {
      if (!isOwn) checkStepName(name)
      checkStepOptions(options)
      checkWork(work)
      const outer = currentStep(this.callId)
      if (outer !== undefined) throw stepInStep(outer, name)
      if (this.#names.has(name)) throw duplicateStepName(name)
      this.#names.add(name)
      await this.promises.checkApprovals()
      const { callId } = this
      const { signal } = this.#ended
      const hasFailed = () => this.#broken !== undefined || this.#hasThrown
      outcome = await attemptStep({ name, label, callId, work, options, signal, hasFailed })
    } catch (error) {
      throw this.#break(error)
    }
    return stepResult(outcome)
  }

  async #put(description: Description, askRecord: AskRecord | undefined): Promise<Settlement> {
    const askId = this.#settings.newAskId()
    const settled = (ending: Ending): Settlement => {
      const atMs = this.#settings.nowMs()
      return { askId, ending, atMs, repeatableUntilMs: atMs }
    }
    const why = wrongSurfaceReason(description.options, this.surface) ?? this.#surface.refuses(description)
    if (why !== undefined) return settled({ kind: 'not_supported', why })

    const waitMs = waitOf(description.options, this.#settings.waitMs)
    await askRecord?.raise(askId, waitMs + (this.#surface.graceMs ?? 0))
    const reply = await this.#reply(description, waitMs)
    if (reply.kind === 'answered') {
      return settled(await settleAnswer(description, askId, reply.answer, askRecord))
    }
    const first = await askRecord?.withdraw(askId)
    return settled(first ?? (reply.kind === 'ended' ? reply.ending : unreached(reply)))
  }

  /** The reply of the surface, or how the wait ended without one. */
  async #reply(description: Description, waitMs: number): Promise<Reply | { kind: 'ended'; ending: Ending }> {
    const wait = new AbortController()
    const timerMs = waitMs + (this.#surface.graceMs ?? 0)
    const timer = setTimeout(() => wait.abort(timedOut), Math.min(timerMs, longestTimerMs))
    const stop = () => wait.abort(this.#ended.signal.reason)
    if (this.#ended.signal.aborted) stop()
    this.#ended.signal.addEventListener('abort', stop, { once: true })
    const stopped = new Promise<{ kind: 'ended'; ending: Ending }>((resolve) => {
      const end = () => resolve({ kind: 'ended', ending: endingBy(wait.signal.reason) })
      if (wait.signal.aborted) end()
      wait.signal.addEventListener('abort', end, { once: true })
    })
    try {
      if (wait.signal.aborted) return await stopped
      return await Promise.race([this.#shown(description, wait.signal, waitMs), stopped])
    } finally {
      clearTimeout(timer)
      this.#ended.signal.removeEventListener('abort', stop)
    }
  }

  async #shown(description: Description, signal: AbortSignal, waitMs: number): Promise<Reply> {
    try {
      const isDefaultWait = hasDefaultWait(description.options, this.#settings.isWaitDefault)
      return await this.#surface.put(description, { signal, waitMs, isDefaultWait })
    } catch (error) {
      return { kind: 'gone', why: error instanceof Error ? error.message : String(error) }
    }
  }

  #break(error: unknown): unknown {
    this.#broken ??= error
    return error
  }
}

/** The ending of a question that was stopped for this reason. */
function endingBy(reason: unknown): Ending {
  if (reason === timedOut) return { kind: 'timed_out' }
  const endOfCall: EndOfCall = reason === callerCancelled ? 'cancelled by its caller' : 'handler ended'
  return { kind: 'cancelled', endOfCall }
}

function unreached(reply: Exclude<Reply, { kind: 'answered' }>): Ending {
  switch (reply.kind) {
    case 'expired':
      return { kind: 'timed_out' }
    case 'invalid':
      return { kind: 'validation_failed', why: reply.why }
    case 'gone':
      return { kind: 'channel_closed', why: reply.why }
    case 'unsupported':
      return { kind: 'not_supported', why: reply.why }
  }
}
