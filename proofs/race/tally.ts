// Counts the results of a race, and checks that there was real competition.
//
// Every kind of actor must have won somewhere, and attempts of different processes must have overlapped; otherwise the
// proof could not have failed.

import type { Reply } from './attempt.ts'
import { type Fault, type Raced, winnerOf } from './judge.ts'

const mostShown = 10
const kindsThatWin = ['accept', 'accept of two', 'decline', 'expire', 'withdraw'] as const

export class Tally {
  readonly engine: string
  contests = 0
  actors = 0
  brokenChains = 0
  #attempts = 0
  #overlapping = 0
  #doubles = 0
  #seconds = 0
  readonly #winners = new Map<string, number>()
  readonly #atDeadline = new Map<string, number>()
  readonly #faulty = new Map<Fault['rule'], number>()

  constructor(engine: string) {
    this.engine = engine
  }

  /** Of these contests, how many broke this rule. */
  with(rule: Fault['rule']): number {
    return this.#faulty.get(rule) ?? 0
  }

  get isSound(): boolean {
    return this.#faulty.size === 0 && this.brokenChains === 0
  }

  get isAlive(): boolean {
    return kindsThatWin.every((kind) => this.#winners.has(kind)) && this.#overlapping > this.contests / 3
  }

  took(seconds: number): void {
    this.#seconds = seconds
  }

  add(raced: Raced, faults: readonly Fault[]): void {
    this.contests++
    this.actors += raced.actors
    this.#attempts += raced.replies.length
    this.#doubles += raced.attempts.length - raced.actors
    if (isOverlapping(raced.replies)) this.#overlapping++
    const kind = winnerKind(raced)
    count(this.#winners, kind)
    if (raced.deadline === 'during') count(this.#atDeadline, kind)
    for (const rule of new Set(faults.map((fault) => fault.rule))) count(this.#faulty, rule)
    for (const { rule, text } of faults) this.#show(`${raced.draft.id}: ${rule}: ${text}`)
  }

  chainBroken(tenant: string, problem: string): void {
    this.brokenChains++
    this.#show(`the chain of ${tenant}: ${problem}`)
  }

  print(): void {
    const { engine, contests, actors } = this
    const perSecond = Math.round(contests / this.#seconds)
    const mean = (actors / contests).toFixed(1)
    console.log(
      `${engine}: ${contests} contests in ${this.#seconds.toFixed(1)} s (${perSecond}/s), ${mean} actors each`,
    )
    console.log(`${engine}: ${this.#attempts} attempts, ${this.#doubles} of them a second try by the same person`)
    console.log(`${engine}: in ${this.#overlapping} contests attempts of two processes overlapped`)
    console.log(`${engine}: won by ${inWords(this.#winners)}`)
    console.log(`${engine}: at a real deadline won by ${inWords(this.#atDeadline)}`)
    if (!this.isAlive)
      console.log(`${engine}: no real competition: some kind of actor never won, or too few attempts overlapped`)
    if (this.#shown > mostShown) console.log(`${engine}: ${this.#shown - mostShown} more faults not shown`)
  }

  #shown = 0
  #show(text: string): void {
    if (++this.#shown <= mostShown) console.log(`${this.engine}: ${text}`)
  }
}

function winnerKind(raced: Raced): string {
  const winner = winnerOf(raced)
  if (winner === undefined) return 'the first to notice the deadline'
  if (winner.actor < 0) return 'the latecomer'
  return winner.kind === 'accept' && raced.draft.approvalRule.approvals > 1 ? 'accept of two' : winner.kind
}

/** Whether attempts of two processes overlapped in time. */
function isOverlapping(replies: readonly Reply[]): boolean {
  const byStart = [...replies].sort((a, b) => a.startedAtMs - b.startedAtMs)
  return byStart.some((reply, index) =>
    byStart.slice(0, index).some((other) => {
      return other.attempt.worker !== reply.attempt.worker && other.endedAtMs > reply.startedAtMs
    }),
  )
}

function count<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

function inWords(counts: ReadonlyMap<string, number>): string {
  const sorted = [...counts].sort(([, a], [, b]) => b - a)
  return sorted.map(([kind, times]) => `${kind} ${times}`).join(', ')
}
