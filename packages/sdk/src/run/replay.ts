// A handler that is run again from the top for every answer.
//
// Asks that have ended and steps that are done come from the journal at once. The first ask without an answer ends the
// round: its promise never settles, so nothing after it runs, neither what follows nor a catch that would take the pause
// for a refusal. Asks reached in the same turn join it, and steps under way are waited for, because a result that is not
// in the journal would be a step done twice. Nothing here knows the wire.

import { AssentError, askLimits, timeOfId } from '@assent/core'
import type { Description } from '../ask/describe.ts'
import type { Ending } from '../ask/ending.ts'
import { elsewhere, hasDefaultWait, waitOf } from '../ask/how.ts'
import { labelOf } from '../ask/label.ts'
import { type AskEntry, type Ended, type Journal, markOf, outOfOrder } from '../journal/journal.ts'
import { sdkLimits } from '../limits.ts'
import type { Keeper, Run, Settlement, Terms } from './run.ts'
import { endingBy } from './seen.ts'
import {
  askInStep,
  checkStepName,
  firstEnding,
  type Performed,
  perform,
  resultOf,
  type StepRecord,
  sameName,
  stepAround,
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

export interface ReplayParts {
  readonly journal: Journal
  /** What the client brought, by the place of the ask; judged here. */
  readonly answers: ReadonlyMap<number, unknown>
  readonly terms: Terms
  readonly record: StepRecord | undefined
  /** What the client's answer means, before it is judged; `afterMs` since the question was asked. */
  readonly hears: (description: Description, raw: unknown, afterMs: number) => unknown
  /** The caller is a gateway of ours: it brings only answers that were given in time, however late it brings them. */
  readonly isGateway: boolean
  /** Why a question cannot be put over this connection, in words; nothing when it can. */
  readonly refuses: (description: Description) => string | undefined
}

/** A fresh one each time: what waits for a promise is kept alive by it, and one for all would keep every paused handler. */
function never(): Promise<never> {
  return new Promise(() => undefined)
}

export class ReplayRun implements Run {
  readonly surface = 'client'
  readonly asksSecrets = false
  readonly #journal: Journal
  readonly #answers: ReadonlyMap<number, unknown>
  readonly #terms: Terms
  readonly #record: StepRecord | undefined
  readonly #hears: ReplayParts['hears']
  readonly #isGateway: boolean
  readonly #refuses: ReplayParts['refuses']
  readonly #open: OpenAsk[] = []
  /** Approvals that this round has put on record, and how each of them is withdrawn. */
  readonly #raised: { readonly raising: Promise<void>; readonly withdraw: () => Promise<unknown> }[] = []
  readonly #names = new Set<string>()
  readonly #afterwards: (() => Promise<void>)[] = []
  readonly #over: Promise<void>
  #endRound: () => void = () => undefined
  /** How often each question was asked in this round. */
  readonly #met = new Map<string, number>()
  /** The places of what was asked in earlier rounds and not yet in this one. */
  readonly #missing: Set<number>
  #newest: string | undefined
  #begun = 0
  #underWay = 0
  #isOver = false
  #isScheduled = false
  /** Whether something else was under way when the questions of this round were asked. */
  #isBeside = false
  #broken: unknown

  constructor({ journal, answers, terms, record, hears, isGateway, refuses }: ReplayParts) {
    this.#journal = journal
    this.#missing = new Set(journal.asks.keys())
    this.#answers = answers
    this.#terms = terms
    this.#record = record
    this.#hears = hears
    this.#isGateway = isGateway
    this.#refuses = refuses
    this.#over = new Promise((resolve) => {
      this.#endRound = resolve
    })
  }

  get callId(): string {
    return this.#journal.callId
  }

  /** Whatever the handler does after it has asked: the round ends with the questions. */
  async end<Value>(handler: Promise<Value>): Promise<RoundEnd<Value>> {
    const handled = handler.then(
      (value): RoundEnd<Value> => ({ kind: 'finished', value }),
      (error: unknown): RoundEnd<Value> => ({ kind: 'failed', error }),
    )
    const first = await Promise.race([handled, this.#over])
    if (first !== undefined && this.#open.length > 0) await this.#over
    this.#isOver = true
    if (this.#open.length > 0 && this.#broken === undefined) return { kind: 'asks', asks: this.#open }
    const ended = this.#broken === undefined ? (first ?? (await handled)) : failedWith(this.#broken)
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
        // One that is on its way may arrive all the same.
        await Promise.allSettled([raising])
        await withdraw()
      }),
    )
  }

  async afterwards(work: () => Promise<void>): Promise<void> {
    this.#afterwards.push(work)
  }

  async put(description: Description, keeper?: Keeper): Promise<Settlement> {
    if (this.#isOver) return never()
    try {
      const step = stepAround()
      if (step !== undefined) throw askInStep(step)
      const place = this.#meet(markOf(description))
      if (place === undefined) return (await this.#working(() => this.#begin(description, keeper))) ?? never()
      const entry = this.#journal.asks[place] as AskEntry
      if (entry.ended !== undefined) return settlementOf(entry, entry.ended)
      return (await this.#working(() => this.#answer(place, entry, description, keeper))) ?? never()
    } catch (error) {
      return this.#break(error)
    }
  }

  async once(name: string, work: () => unknown): Promise<unknown> {
    if (this.#isOver) return never()
    try {
      checkStepName(name)
      if (this.#names.has(name)) throw sameName(name)
      this.#names.add(name)
    } catch (error) {
      return this.#break(error)
    }
    const kept = this.#journal.steps.get(name)
    if (kept !== undefined) return resultOf(kept)
    return this.#do(name, work)
  }

  async #do(name: string, work: () => unknown): Promise<unknown> {
    let done: Performed
    try {
      done = await this.#working(async () => {
        const performed = await perform(name, work, this.#record)
        this.#journal.keep(name, performed.entry)
        return performed
      })
    } catch (error) {
      return this.#break(error)
    }
    return resultOf(done.entry, done.cause)
  }

  /** Where this question stands in the journal, if it was asked in an earlier round. */
  #meet(mark: string): number | undefined {
    const before = this.#met.get(mark) ?? 0
    this.#met.set(mark, before + 1)
    const place = this.#journal.placeOf(mark, before)
    if (place !== undefined) this.#missing.delete(place)
    return place
  }

  /** Asked for the first time. Nothing comes back when it is now open. */
  async #begin(description: Description, keeper?: Keeper): Promise<Settlement | undefined> {
    if (this.#begun === sdkLimits.asksAtOnce) {
      throw new AssentError('limit_exceeded', `At most ${sdkLimits.asksAtOnce} questions can be open at once.`)
    }
    if (this.#underWay > 1) this.#isBeside = true
    const why = elsewhere(description.how, this.surface) ?? this.#refuses(description)
    // Counted before anything is waited for, so that asks made at once cannot all slip through.
    if (why === undefined) this.#begun++
    const waitMs = this.#waitMs(description)
    const label = labelOf(description)
    const decideByMs = this.#terms.nowMs() + waitMs
    const entry = { id: this.#terms.newAskId(), mark: markOf(description), label, decideByMs }
    const place = this.#journal.open(entry)
    this.#newest = label
    if (why !== undefined) return this.#ended(place, { kind: 'not_supported', why })
    if (keeper !== undefined) {
      const raising = keeper.raised(entry.id, waitMs)
      this.#raised.push({ raising, withdraw: () => keeper.withdrawn(entry.id) })
      await raising
    }
    this.#open.push({ place, entry, description })
    return undefined
  }

  /** Asked in an earlier round. */
  async #answer(
    place: number,
    entry: AskEntry,
    description: Description,
    keeper?: Keeper,
  ): Promise<Settlement | undefined> {
    if (this.#terms.nowMs() >= entry.decideByMs)
      return this.#first(place, (await keeper?.withdrawn(entry.id)) ?? { kind: 'timed_out' })
    if (!this.#answers.has(place)) {
      // The client came back without it. That is nobody's "no": the question is still open, until its own end.
      this.#open.push({ place, entry, description })
      return undefined
    }
    // The id was sealed with the journal, so its time is when the question was first asked.
    const raw = this.#hears(description, this.#answers.get(place), this.#terms.nowMs() - timeOfId(entry.id))
    return this.#first(place, await endingBy(description, entry.id, raw, keeper))
  }

  /** How long an answer to it is taken. A gateway ends the question earlier, by its own clock. */
  #waitMs({ how }: Description): number {
    const { waitMs: usualMs, isWaitDefault } = this.#terms
    const waitMs = waitOf(how, usualMs)
    if (!this.#isGateway) return waitMs
    const openMs = hasDefaultWait(how, isWaitDefault) ? Math.max(waitMs, sdkLimits.resumableWaitMs) : waitMs
    return Math.min(openMs + sdkLimits.returnWithinMs, askLimits.decideMaxMs)
  }

  async #first(place: number, ending: Ending): Promise<Settlement> {
    return this.#ended(place, await firstEnding(place, ending, this.#record))
  }

  #ended(place: number, ending: Ending): Settlement {
    const entry = this.#journal.end(place, ending, this.#terms.nowMs())
    return settlementOf(entry, entry.ended)
  }

  /** The round cannot end while this is under way. */
  async #working<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#underWay++
    try {
      return await work()
    } finally {
      this.#underWay--
      this.#schedule()
    }
  }

  /** One turn later, so that every branch of the handler that runs on at once has reached its own ask. */
  #schedule(): void {
    if (this.#isScheduled || this.#open.length === 0) return
    this.#isScheduled = true
    setImmediate(() => this.#conclude(performance.now() + sdkLimits.branchesMs))
  }

  #conclude(patienceEnds: number): void {
    if (this.#underWay > 0 || this.#isOver) {
      this.#isScheduled = false
      this.#isBeside = true
      return
    }
    const [missing] = this.#missing
    if (this.#newest !== undefined && missing !== undefined) {
      // Something new was asked though not everything old was. A slower branch may still be on its way to it, if it had
      // been asked beside others; otherwise this is no longer the handler that asked it.
      const { isBeside, label } = this.#journal.asks[missing] as AskEntry
      if (isBeside && performance.now() < patienceEnds) setTimeout(() => this.#conclude(patienceEnds), 1)
      else void this.#break(outOfOrder(label, this.#newest))
      return
    }
    if (this.#isBeside || this.#open.length > 1) for (const { place } of this.#open) this.#journal.setBeside(place)
    this.#isScheduled = false
    this.#isOver = true
    this.#endRound()
  }

  /** An error that no catch of the handler's can turn into a result. */
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

function settlementOf({ id, decideByMs }: AskEntry, { ending, atMs }: Ended): Settlement {
  return { askId: id, ending, atMs, repeatableUntilMs: decideByMs }
}
