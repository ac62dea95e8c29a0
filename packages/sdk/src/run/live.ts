// A handler that waits: its questions are put on a surface, and it goes on where it was when the answer comes.
//
// A timer here ends a question that nobody answers, unless the surface does that itself (a gateway of ours, whose database
// has the only clock that counts); then the timer only guards against a surface that is stuck. Where the ask is on record
// too, the record has the last word: an answer that arrived before the ask could be withdrawn is used. When the call is
// cancelled, what is still open is taken back, and so is what is left over when the handler has ended.

import { AssentError } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import { elsewhere, hasDefaultWait, waitOf } from '../ask/how.ts'
import type { StepEntry } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import type { Reply, Surface } from '../surface.ts'
import type { Keeper, Run, Settlement, Terms } from './run.ts'
import { endingBy } from './seen.ts'
import { askInStep, checkStepName, perform, resultOf, type StepRecord, sameName, stepAround } from './steps.ts'

/** Node fires longer timers at once. */
const longestTimerMs = 2 ** 31 - 1
const late = Symbol('the wait is over')
const over = Symbol('the call is over')

export class LiveRun implements Run {
  readonly callId: string
  readonly asksSecrets: boolean
  readonly #surface: Surface
  readonly #terms: Terms
  readonly #record: StepRecord | undefined
  readonly #names = new Set<string>()
  readonly #ended = new AbortController()
  #open = 0
  #broken: unknown

  constructor(callId: string, surface: Surface, terms: Terms, signal?: AbortSignal, record?: StepRecord) {
    this.callId = callId
    this.asksSecrets = surface.name === 'terminal'
    this.#surface = surface
    this.#terms = terms
    this.#record = record
    if (signal?.aborted === true) this.#ended.abort(over)
    signal?.addEventListener('abort', () => this.#ended.abort(over), { once: true, signal: this.#ended.signal })
  }

  /** Runs the handler to its end. A mistake in how it asks is the outcome, whatever the handler made of it. */
  async end<Value>(handler: Promise<Value>): Promise<Value> {
    try {
      const value = await handler
      if (this.#broken !== undefined) throw this.#broken
      return value
    } catch (error) {
      throw this.#broken ?? error
    } finally {
      this.#ended.abort(over)
    }
  }

  get surface(): Surface['name'] {
    return this.#surface.name
  }

  async put(description: Description, keeper?: Keeper): Promise<Settlement> {
    const step = stepAround()
    if (step !== undefined) throw this.#break(askInStep(step))
    if (this.#open === sdkLimits.asksAtOnce) {
      const most = `At most ${sdkLimits.asksAtOnce} questions can be open at once.`
      throw this.#break(new AssentError('limit_exceeded', most))
    }
    this.#open++
    try {
      return await this.#put(description, keeper)
    } finally {
      this.#open--
    }
  }

  async once(name: string, work: () => unknown): Promise<unknown> {
    let entry: StepEntry
    let cause: unknown
    try {
      checkStepName(name)
      if (this.#names.has(name)) throw sameName(name)
      this.#names.add(name)
      const performed = await perform(name, work, this.#record)
      entry = performed.entry
      cause = performed.cause
    } catch (error) {
      throw this.#break(error)
    }
    return resultOf(entry, cause)
  }

  async afterwards(work: () => Promise<void>): Promise<void> {
    await work()
  }

  async #put(description: Description, keeper: Keeper | undefined): Promise<Settlement> {
    const askId = this.#terms.newAskId()
    const settled = (ending: Ending): Settlement => {
      const atMs = this.#terms.nowMs()
      return { askId, ending, atMs, repeatableUntilMs: atMs }
    }
    const why = elsewhere(description.how, this.surface) ?? this.#surface.refuses(description)
    if (why !== undefined) return settled({ kind: 'not_supported', why })

    const waitMs = waitOf(description.how, this.#terms.waitMs)
    await keeper?.raised(askId, waitMs + (this.#surface.graceMs ?? 0))
    const reply = await this.#reply(description, waitMs)
    if (reply.kind === 'answered') {
      return settled(await endingBy(description, askId, reply.answer, keeper))
    }
    const first = await keeper?.withdrawn(askId)
    return settled(first ?? (reply.kind === 'ended' ? reply.ending : unreached(reply)))
  }

  /** What the surface said, or how the wait ended without it. */
  async #reply(description: Description, waitMs: number): Promise<Reply | { kind: 'ended'; ending: Ending }> {
    const patience = new AbortController()
    const timerMs = waitMs + (this.#surface.graceMs ?? 0)
    const timer = setTimeout(() => patience.abort(late), Math.min(timerMs, longestTimerMs))
    const stop = () => patience.abort(over)
    if (this.#ended.signal.aborted) stop()
    this.#ended.signal.addEventListener('abort', stop, { once: true })
    const stopped = new Promise<{ kind: 'ended'; ending: Ending }>((resolve) => {
      const end = () => {
        const ending: Ending = patience.signal.reason === late ? { kind: 'timed_out' } : { kind: 'cancelled' }
        resolve({ kind: 'ended', ending })
      }
      if (patience.signal.aborted) end()
      patience.signal.addEventListener('abort', end, { once: true })
    })
    try {
      if (patience.signal.aborted) return await stopped
      return await Promise.race([this.#shown(description, patience.signal, waitMs), stopped])
    } finally {
      clearTimeout(timer)
      this.#ended.signal.removeEventListener('abort', stop)
    }
  }

  async #shown(description: Description, signal: AbortSignal, waitMs: number): Promise<Reply> {
    try {
      const isDefaultWait = hasDefaultWait(description.how, this.#terms.isWaitDefault)
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

function unreached(reply: Exclude<Reply, { kind: 'answered' }>): Ending {
  if (reply.kind === 'expired') return { kind: 'timed_out' }
  return { kind: reply.kind === 'gone' ? 'channel_closed' : 'not_supported', why: reply.why }
}
