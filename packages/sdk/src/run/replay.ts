// A handler that is run again from the top for every answer.
//
// Asks that have ended and steps that are done come from the journal. The first ask without an answer ends the
// round: its promise never settles, so nothing after it runs, neither the next line nor a catch that would treat the pause
// as a refusal. When a round ends is decided in round-end.ts, whether the handler repeats itself in earlier-entries.ts.
// Nothing here depends on the wire format.

import { AssentError, askLimits, timeOfId } from '@assent/core'
import { AuthorPromises } from '../ask/author-promises.ts'
import type { Description } from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import { askLabel } from '../ask/label.ts'
import { hasDefaultWait, waitOf, wrongSurfaceReason } from '../ask/options.ts'
import type { AskRecord, OnceOptions, Run, RunSettings, Settlement } from '../ask/run.ts'
import type { StepContext } from '../ask/step.ts'
import { notRepeated, outOfOrder } from '../journal/diverged.ts'
import { type AskEntry, type EndedAsk, fingerprintOf, type Journal } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import { never } from '../never.ts'
import type { StepRecord } from '../server/step-record.ts'
import { EarlierEntries } from './earlier-entries.ts'
import { settleAnswer } from './human-check.ts'
import { reportLateAsk } from './late-ask.ts'
import { RoundEnd } from './round-end.ts'
import { checkStepOptions, checkWork, currentStep, type StepWork } from './step-attempts.ts'
import { type StepOutcome, stepResult } from './step-entry.ts'
import { keptEntry, reserveRoom } from './step-room.ts'
import {
  askInStep,
  checkStepName,
  duplicateStepName,
  firstEnding,
  readStoredStep,
  runStep,
  stepInStep,
} from './steps.ts'

export interface OpenAsk {
  readonly place: number
  readonly entry: AskEntry
  readonly description: Description
}

export type RoundEnded<Value> =
  | { readonly kind: 'finished'; readonly value: Value }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'asks'; readonly asks: readonly OpenAsk[] }

export interface ReplayOptions {
  readonly journal: Journal
  /** The client's answers by the index of the ask, unchecked. */
  readonly answers: ReadonlyMap<number, unknown>
  readonly runSettings: RunSettings
  readonly record: StepRecord | undefined
  /** Aborts when the caller cancels. */
  readonly signal?: AbortSignal | undefined
  /** Decodes the client's answer before it is checked; `afterMs` since the question was asked. */
  readonly decodeAnswer: (description: Description, raw: unknown, afterMs: number) => unknown
  /** The caller is an Assent gateway: it sends only answers that were given in time, however late it sends them. */
  readonly isGateway: boolean
  /** The reason why a question cannot be sent over this connection, or undefined. */
  readonly refuses: (description: Description) => string | undefined
}

export class ReplayRun implements Run {
  readonly surface = 'client'
  readonly asksSecrets = false
  readonly runsAgain = true
  readonly promises: AuthorPromises
  readonly #options: ReplayOptions
  readonly #journal: Journal
  readonly #settings: RunSettings
  readonly #earlier: EarlierEntries
  readonly #round: RoundEnd
  readonly #open: OpenAsk[] = []
  /** Approvals that this round has recorded, and how each of them is withdrawn. */
  readonly #raised: { readonly raising: Promise<void>; readonly withdraw: () => Promise<unknown> }[] = []
  readonly #names = new Set<string>()
  readonly #callEnd = new AbortController()
  /** How often each question was asked in this round. */
  readonly #askCounts = new Map<string, number>()
  #newAsks = 0
  #broken: unknown
  #hasThrown = false

  constructor(options: ReplayOptions) {
    this.#options = options
    this.#journal = options.journal
    this.#settings = options.runSettings
    this.promises = new AuthorPromises(options.runSettings.onError)
    this.#earlier = new EarlierEntries(options.journal, options.runSettings.repeatWithinMs, (missing, wanted) => {
      void this.#break(outOfOrder(missing, wanted))
    })
    this.#round = new RoundEnd({ earlierReached: () => this.#earlier.before(this.#journal.round) })
  }

  get callId(): string {
    return this.#journal.callId
  }

  get ended(): AbortSignal {
    return this.#callEnd.signal
  }

  /** The round ends with the questions, whatever the handler does after it has asked. */
  async end<Value>(handler: Promise<Value>): Promise<RoundEnded<Value>> {
    const handled = handler.then(
      (value): RoundEnded<Value> => ({ kind: 'finished', value }),
      (error: unknown): RoundEnded<Value> => {
        this.#hasThrown = true
        return { kind: 'failed', error }
      },
    )
    const first = await Promise.race([handled, this.#round.ended])
    const mistake = first === undefined ? undefined : this.#mistakeAt(first)
    if (mistake !== undefined) void this.#break(mistake.error)
    if (this.#open.length > 0) await this.#round.ended
    else this.#round.end()
    this.#earlier.stop()
    if (this.#open.length > 0 && this.#broken === undefined) return { kind: 'asks', asks: this.#open }
    // Without an open question, only the end of the handler or a mistake ends a round.
    const ended = this.#broken !== undefined || first === undefined ? failedWith(this.#broken) : first
    this.#callEnd.abort()
    this.promises.end()
    return ended
  }

  /** Why the end of the handler is an error: an ask that was not awaited, or one of earlier rounds that was not repeated. */
  #mistakeAt(end: RoundEnded<unknown>): { readonly error: unknown } | undefined {
    const unawaited = this.promises.unawaitedAsk()
    const { missing } = this.#earlier
    const error = unawaited ?? (missing && notRepeated(missing))
    if (error === undefined) return undefined
    // The handler's own error says more, and it is no result either way.
    return { error: end.kind === 'failed' ? end.error : error }
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

  isLate(description: Description): boolean {
    // After a mistake the handler has not returned: it waits for ever, as at the end of a round with questions.
    if (!this.ended.aborted || this.#broken !== undefined) return false
    // A handler that failed, or whose call was cancelled, left its other branches behind.
    if (!this.#hasThrown && this.#options.signal?.aborted !== true) reportLateAsk(description, this.#settings)
    return true
  }

  async put(description: Description, askRecord?: AskRecord): Promise<Settlement> {
    if (this.isLate(description) || this.#round.isOver) return never()
    try {
      const step = currentStep(this.callId)
      if (step !== undefined) throw askInStep(step)
      const place = this.#findEarlier(fingerprintOf(description))
      if (place === undefined) return await this.#putNew(description, askRecord)
      const earlier = this.#journal.asks[place] as AskEntry
      const settlement =
        earlier.ended === undefined
          ? await this.#round.track(() => this.#answerEarlier(place, earlier, description, askRecord))
          : settlementOf(earlier, earlier.ended)
      if (settlement === undefined) return await never()
      const { ended } = this.#journal.asks[place] as AskEntry & { readonly ended: EndedAsk }
      return await this.#delivered(ended.round, settlement)
    } catch (error) {
      return this.#break(error)
    }
  }

  async once(
    name: string,
    work: (context: StepContext) => unknown,
    { isOwn = false, label = name, before, onBroken, ...options }: OnceOptions = {},
  ): Promise<unknown> {
    if (this.#round.isOver) return never()
    const { callId } = this
    // Not at module scope, where Cloudflare Workers forbid it.
    const signal = this.#options.signal ?? new AbortController().signal
    const step: StepWork = { name, label, callId, work, options, signal, hasFailed: () => this.#hasFailed() }
    try {
      if (!isOwn) checkStepName(name)
      checkStepOptions(options)
      checkWork(work)
      const outer = currentStep(callId)
      if (outer !== undefined) throw stepInStep(outer, name)
      if (this.#names.has(name)) throw duplicateStepName(name)
      this.#names.add(name)
      return stepResult(await this.#outcomeOf(step, before))
    } catch (error) {
      if (error instanceof AssentError && isOutcome(error)) throw error
      onBroken?.(error)
      return this.#break(error)
    }
  }

  async #outcomeOf(step: StepWork, before: OnceOptions['before']): Promise<StepOutcome> {
    const { name } = step
    const kept = this.#journal.steps.get(name)
    if (kept === undefined) return this.#runNew(step, before)
    this.#earlier.reach(`step ${name}`)
    const { entry, round } = kept
    const { record } = this.#options
    const outcome = entry.kind === 'stored' ? await this.#round.track(() => readStoredStep(step, record)) : { entry }
    return this.#delivered(round, outcome)
  }

  async #runNew(step: StepWork, before: OnceOptions['before']): Promise<StepOutcome> {
    const { name } = step
    const { record } = this.#options
    const reached = this.#earlier.before(this.#journal.round, { kind: 'step', label: name })
    if (reached !== undefined) await reached
    if (this.#round.isOver) return never()
    return this.#round.track(async () => {
      await this.promises.checkApprovals()
      if (this.#round.isOver) return never()
      const hasStore = record !== undefined
      reserveRoom(this.#journal, step, before, hasStore)
      const outcome = await runStep(step, record)
      this.#journal.keep(name, keptEntry(this.#journal, name, outcome.entry, hasStore))
      return outcome
    })
  }

  /** A result first delivered in this round waits for what earlier rounds had reached before it. */
  async #delivered<Value>(round: number, value: Value): Promise<Value> {
    const reached = this.#earlier.before(round)
    if (reached !== undefined) await reached
    return this.#round.isOver ? never() : value
  }

  async #putNew(description: Description, askRecord?: AskRecord): Promise<Settlement> {
    const reached = this.#earlier.before(this.#journal.round, { kind: 'ask', label: askLabel(description) })
    if (reached !== undefined) await reached
    if (this.#round.isOver) return never()
    return (await this.#round.track(() => this.#openAsk(description, askRecord))) ?? never()
  }

  /** The index of this question in the journal, if it was asked in an earlier round. */
  #findEarlier(fingerprint: string): number | undefined {
    const before = this.#askCounts.get(fingerprint) ?? 0
    this.#askCounts.set(fingerprint, before + 1)
    const place = this.#journal.placeOf(fingerprint, before)
    if (place !== undefined) this.#earlier.reach(`ask ${place}`)
    return place
  }

  /** Asked for the first time. Returns undefined when it is now open. */
  async #openAsk(description: Description, askRecord?: AskRecord): Promise<Settlement | undefined> {
    if (this.#newAsks === sdkLimits.asksAtOnce) {
      throw new AssentError('limit_exceeded', `At most ${sdkLimits.asksAtOnce} questions can be open at once.`)
    }
    const why = wrongSurfaceReason(description.options, this.surface) ?? this.#options.refuses(description)
    // Counted before the first await, so that concurrent asks cannot exceed the limit.
    if (why === undefined) this.#newAsks++
    const waitMs = this.#waitMs(description)
    const label = askLabel(description)
    const decideByMs = this.#settings.nowMs() + waitMs
    const id = this.#settings.newAskId()
    const place = this.#journal.open({ id, fingerprint: fingerprintOf(description), label, decideByMs })
    const entry = this.#journal.asks[place] as AskEntry
    if (why !== undefined) return this.#ended(place, { kind: 'not_supported', why })
    if (askRecord !== undefined) {
      const raising = askRecord.raise(entry.id, waitMs)
      this.#raised.push({ raising, withdraw: () => askRecord.withdraw(entry.id) })
      await raising
    }
    this.#opened({ place, entry, description })
    return undefined
  }

  #opened(ask: OpenAsk): void {
    this.#open.push(ask)
    this.#round.opened()
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
    const { answers, decodeAnswer } = this.#options
    if (!answers.has(place)) {
      // The client retried without this answer. That is not a decline: the question stays open until its deadline.
      this.#opened({ place, entry, description })
      return undefined
    }
    // The id was sealed with the journal, so its time is when the question was first asked.
    const raw = decodeAnswer(description, answers.get(place), this.#settings.nowMs() - timeOfId(entry.id))
    return this.#settleFirst(place, await settleAnswer(description, entry.id, raw, askRecord))
  }

  /** Until when an answer is accepted. A gateway ends the question earlier, by its own clock. */
  #waitMs({ options }: Description): number {
    const { waitMs: usualMs, isWaitDefault } = this.#settings
    const waitMs = waitOf(options, usualMs)
    if (!this.#options.isGateway) return waitMs
    const openMs = hasDefaultWait(options, isWaitDefault) ? Math.max(waitMs, sdkLimits.resumableWaitMs) : waitMs
    return Math.min(openMs + sdkLimits.returnWithinMs, askLimits.decideMaxMs)
  }

  async #settleFirst(place: number, ending: Ending): Promise<Settlement> {
    return this.#ended(place, await firstEnding(this.#journal.identityOf(place), ending, this.#options.record))
  }

  #ended(place: number, ending: Ending): Settlement {
    const entry = this.#journal.end(place, ending, this.#settings.nowMs())
    return settlementOf(entry, entry.ended)
  }

  /** A handler that has thrown while a question is open runs again with its answer, so that round has not failed. */
  #hasFailed(): boolean {
    return this.#broken !== undefined || (this.#hasThrown && this.#open.length === 0)
  }

  /** Ends the round with an error that the handler cannot catch. */
  #break(error: unknown): Promise<never> {
    this.#broken ??= error
    this.#round.end()
    return never()
  }
}

/** What the work of a step did. Every other error is a mistake of the handler, or the store's. */
function isOutcome({ code }: AssentError): boolean {
  return code === 'step_failed' || code === 'grant_refused'
}

function failedWith(error: unknown): RoundEnded<never> {
  return { kind: 'failed', error }
}

function settlementOf({ id, decideByMs }: AskEntry, { ending, atMs }: EndedAsk): Settlement {
  return { askId: id, ending, atMs, repeatableUntilMs: decideByMs }
}
