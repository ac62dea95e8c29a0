// A handler that is run again from the top for every answer.
//
// Asks that have ended and steps that are done come from the journal at once. The first ask without an answer ends the
// round: its promise never settles, so nothing after it runs, neither the next line nor a catch that would treat the pause
// as a refusal. Asks reached in the same turn join it, and running steps are waited for, because a result that is not
// in the journal would be a step done twice. Nothing here depends on the wire format.

import { AssentError, askLimits, timeOfId } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import { askLabel } from '../ask/label.ts'
import { hasDefaultWait, waitOf, wrongSurfaceReason } from '../ask/options.ts'
import type { AskRecord, Run, RunSettings, Settlement } from '../ask/run.ts'
import { type AskEntry, type EndedAsk, fingerprintOf, type Journal, outOfOrder } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import type { StepRecord } from '../server/step-record.ts'
import { AuthorPromises } from './author-promises.ts'
import { settleAnswer } from './human-check.ts'
import {
  askInStep,
  checkStepName,
  currentStep,
  duplicateStepName,
  firstEnding,
  runStep,
  type StepOutcome,
  stepResult,
} from './steps.ts'

export interface OpenAsk {
  readonly place: number
  readonly entry: AskEntry
  readonly description: Description
}

export type RoundEnd<Value> =
  | { readonly kind: 'finished'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'asks'; readonly asks: readonly OpenAsk[] }

export interface ReplayOptions {
  readonly journal: Journal
  /** The client's answers by the index of the ask, unchecked. */
  readonly answers: ReadonlyMap<number, unknown>
  readonly runSettings: RunSettings
  readonly record: StepRecord | undefined
  /** Decodes the client's answer before it is checked; `afterMs` since the question was asked. */
  readonly decodeAnswer: (description: Description, raw: unknown, afterMs: number) => unknown
  /** The caller is an Assent gateway: it sends only answers that were given in time, however late it sends them. */
  readonly isGateway: boolean
  /** The reason why a question cannot be sent over this connection, or undefined. */
  readonly refuses: (description: Description) => string | undefined
}

/** A new promise each time: a promise keeps its waiters alive, so one for all would keep every paused handler in memory. */
function never(): Promise<never> {
  return new Promise(() => undefined)
}

export class ReplayRun implements Run {
  readonly surface = 'client'
  readonly asksSecrets = false
  readonly promises: AuthorPromises
  readonly #journal: Journal
  readonly #answers: ReadonlyMap<number, unknown>
  readonly #settings: RunSettings
  readonly #record: StepRecord | undefined
  readonly #decodeAnswer: ReplayOptions['decodeAnswer']
  readonly #isGateway: boolean
  readonly #refuses: ReplayOptions['refuses']
  readonly #open: OpenAsk[] = []
  /** Approvals that this round has recorded, and how each of them is withdrawn. */
  readonly #raised: { readonly raising: Promise<void>; readonly withdraw: () => Promise<unknown> }[] = []
  readonly #names = new Set<string>()
  readonly #afterwards: (() => Promise<void>)[] = []
  readonly #roundEnd: Promise<void>
  #endRound: () => void = () => undefined
  /** How often each question was asked in this round. */
  readonly #askCounts = new Map<string, number>()
  /** The indexes of questions that were asked in earlier rounds and not yet in this one. */
  readonly #notAskedAgain: Set<number>
  #newestLabel: string | undefined
  #newAsks = 0
  #running = 0
  #isOver = false
  #isScheduled = false
  /** Whether something else was running when the questions of this round were asked. */
  #isConcurrent = false
  #broken: unknown

  constructor({ journal, answers, runSettings, record, decodeAnswer, isGateway, refuses }: ReplayOptions) {
    this.#journal = journal
    this.#notAskedAgain = new Set(journal.asks.keys())
    this.#answers = answers
    this.#settings = runSettings
    this.promises = new AuthorPromises(runSettings.onError)
    this.#record = record
    this.#decodeAnswer = decodeAnswer
    this.#isGateway = isGateway
    this.#refuses = refuses
    this.#roundEnd = new Promise((resolve) => {
      this.#endRound = resolve
    })
  }

  get callId(): string {
    return this.#journal.callId
  }

  /** The round ends with the questions, whatever the handler does after it has asked. */
  async end<Value>(handler: Promise<Value>): Promise<RoundEnd<Value>> {
    const handled = handler.then(
      (value): RoundEnd<Value> => ({ kind: 'finished', value }),
      (error: unknown): RoundEnd<Value> => ({ kind: 'failed', error }),
    )
    const first = await Promise.race([handled, this.#roundEnd])
    const unawaited = first === undefined ? undefined : this.promises.unawaitedAsk()
    if (unawaited !== undefined) void this.#break(first?.kind === 'failed' ? first.error : unawaited)
    if (first !== undefined && this.#open.length > 0 && this.#broken === undefined) await this.#roundEnd
    this.#isOver = true
    if (this.#open.length > 0 && this.#broken === undefined) return { kind: 'asks', asks: this.#open }
    const ended = this.#broken === undefined ? (first ?? (await handled)) : failedWith(this.#broken)
    this.promises.end()
    for (const work of this.#afterwards) await work()
    return ended
  }

  /**
   * Withdraws the approvals that this round requested: it failed, so no state leads to them. What cannot be withdrawn now ends
   * by its deadline; the caller gets the error that ended the round.
   */
  async withdrawRaised(): Promise<void> {
    await Promise.allSettled(
      this.#raised.map(async ({ raising, withdraw }) => {
        // A request that was already sent may still arrive.
        await Promise.allSettled([raising])
        await withdraw()
      }),
    )
  }

  async afterwards(work: () => Promise<void>): Promise<void> {
    this.#afterwards.push(work)
  }

  async put(description: Description, askRecord?: AskRecord): Promise<Settlement> {
    if (this.#isOver) return never()
    try {
      const step = currentStep()
      if (step !== undefined) throw askInStep(step)
      const place = this.#findEarlier(fingerprintOf(description))
      if (place === undefined) return (await this.#tracked(() => this.#openAsk(description, askRecord))) ?? never()
      const entry = this.#journal.asks[place] as AskEntry
      if (entry.ended !== undefined) return settlementOf(entry, entry.ended)
      return (await this.#tracked(() => this.#answerEarlier(place, entry, description, askRecord))) ?? never()
    } catch (error) {
      return this.#break(error)
    }
  }

  async once(name: string, work: () => unknown): Promise<unknown> {
    if (this.#isOver) return never()
    try {
      checkStepName(name)
      if (this.#names.has(name)) throw duplicateStepName(name)
      this.#names.add(name)
    } catch (error) {
      return this.#break(error)
    }
    const kept = this.#journal.steps.get(name)
    if (kept !== undefined) return stepResult(kept)
    return this.#runStep(name, work)
  }

  async #runStep(name: string, work: () => unknown): Promise<unknown> {
    let done: StepOutcome
    try {
      done = await this.#tracked(async () => {
        await this.promises.checkApprovals()
        const performed = await runStep(name, work, this.#record)
        this.#journal.keep(name, performed.entry)
        return performed
      })
    } catch (error) {
      return this.#break(error)
    }
    return stepResult(done.entry, done.cause)
  }

  /** The index of this question in the journal, if it was asked in an earlier round. */
  #findEarlier(fingerprint: string): number | undefined {
    const before = this.#askCounts.get(fingerprint) ?? 0
    this.#askCounts.set(fingerprint, before + 1)
    const place = this.#journal.placeOf(fingerprint, before)
    if (place !== undefined) this.#notAskedAgain.delete(place)
    return place
  }

  /** Asked for the first time. Returns undefined when it is now open. */
  async #openAsk(description: Description, askRecord?: AskRecord): Promise<Settlement | undefined> {
    if (this.#newAsks === sdkLimits.asksAtOnce) {
      throw new AssentError('limit_exceeded', `At most ${sdkLimits.asksAtOnce} questions can be open at once.`)
    }
    if (this.#running > 1) this.#isConcurrent = true
    const why = wrongSurfaceReason(description.options, this.surface) ?? this.#refuses(description)
    // Counted before the first await, so that concurrent asks cannot exceed the limit.
    if (why === undefined) this.#newAsks++
    const waitMs = this.#waitMs(description)
    const label = askLabel(description)
    const decideByMs = this.#settings.nowMs() + waitMs
    const entry = { id: this.#settings.newAskId(), fingerprint: fingerprintOf(description), label, decideByMs }
    const place = this.#journal.open(entry)
    this.#newestLabel = label
    if (why !== undefined) return this.#ended(place, { kind: 'not_supported', why })
    if (askRecord !== undefined) {
      const raising = askRecord.raise(entry.id, waitMs)
      this.#raised.push({ raising, withdraw: () => askRecord.withdraw(entry.id) })
      await raising
    }
    this.#open.push({ place, entry, description })
    return undefined
  }

  /** Asked in an earlier round. */
  async #answerEarlier(
    place: number,
    entry: AskEntry,
    description: Description,
    askRecord?: AskRecord,
  ): Promise<Settlement | undefined> {
    if (this.#settings.nowMs() >= entry.decideByMs)
      return this.#settleFirst(place, (await askRecord?.withdraw(entry.id)) ?? { kind: 'timed_out' })
    if (!this.#answers.has(place)) {
      // The client retried without this answer. That is not a decline: the question stays open until its deadline.
      this.#open.push({ place, entry, description })
      return undefined
    }
    // The id was sealed with the journal, so its time is when the question was first asked.
    const raw = this.#decodeAnswer(description, this.#answers.get(place), this.#settings.nowMs() - timeOfId(entry.id))
    return this.#settleFirst(place, await settleAnswer(description, entry.id, raw, askRecord))
  }

  /** Until when an answer is accepted. A gateway ends the question earlier, by its own clock. */
  #waitMs({ options }: Description): number {
    const { waitMs: usualMs, isWaitDefault } = this.#settings
    const waitMs = waitOf(options, usualMs)
    if (!this.#isGateway) return waitMs
    const openMs = hasDefaultWait(options, isWaitDefault) ? Math.max(waitMs, sdkLimits.resumableWaitMs) : waitMs
    return Math.min(openMs + sdkLimits.returnWithinMs, askLimits.decideMaxMs)
  }

  async #settleFirst(place: number, ending: Ending): Promise<Settlement> {
    return this.#ended(place, await firstEnding(place, ending, this.#record))
  }

  #ended(place: number, ending: Ending): Settlement {
    const entry = this.#journal.end(place, ending, this.#settings.nowMs())
    return settlementOf(entry, entry.ended)
  }

  /** The round cannot end while this is running. */
  async #tracked<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#schedule()
    }
  }

  /** One turn later, so that every concurrent branch of the handler has reached its own ask. */
  #schedule(): void {
    if (this.#isScheduled || this.#open.length === 0) return
    this.#isScheduled = true
    setImmediate(() => this.#finishRound(performance.now() + sdkLimits.slowBranchesMs))
  }

  #finishRound(waitUntil: number): void {
    if (this.#running > 0 || this.#isOver) {
      this.#isScheduled = false
      this.#isConcurrent = true
      return
    }
    const [missing] = this.#notAskedAgain
    if (this.#newestLabel !== undefined && missing !== undefined) {
      // A new question was asked before all old ones. A slower branch may still reach an old one if it was
      // asked concurrently; otherwise the handler has changed.
      const { isConcurrent, label } = this.#journal.asks[missing] as AskEntry
      if (isConcurrent && performance.now() < waitUntil) setTimeout(() => this.#finishRound(waitUntil), 1)
      else void this.#break(outOfOrder(label, this.#newestLabel))
      return
    }
    if (this.#isConcurrent || this.#open.length > 1)
      for (const { place } of this.#open) this.#journal.setConcurrent(place)
    this.#isScheduled = false
    this.#isOver = true
    this.#endRound()
  }

  /** Ends the round with an error that the handler cannot catch. */
  #break(error: unknown): Promise<never> {
    this.#broken ??= error
    this.#isOver = true
    this.#endRound()
    return never()
  }
}

function failedWith(error: unknown): RoundEnd<never> {
  return { kind: 'failed', error }
}

function settlementOf({ id, decideByMs }: AskEntry, { ending, atMs }: EndedAsk): Settlement {
  return { askId: id, ending, atMs, repeatableUntilMs: decideByMs }
}
