// How many answers fell on which side of the deadline, and what was wrong with any of them.

import type { Answered, Attempt } from './answer-once.ts'
import { kindOf, nameOf } from './combinations.ts'

type Side = 'not shown in time' | 'delivered' | 'too late' | 'not delivered'

export class Tally {
  readonly faults: string[] = []
  /** The asks whose answer is shown as not delivered. */
  readonly undelivered: string[] = []
  tried = 0
  readonly #sides = new Map<string, number>()

  add({ combination }: Attempt, { record, fault, askId }: Answered): void {
    if (record !== undefined) this.tried += 1
    if (fault !== undefined) this.faults.push(`${nameOf(combination)}: ${fault}`)
    const isUndelivered = record?.isUndelivered === true
    if (isUndelivered && askId !== undefined && combination.place !== 'alone') this.undelivered.push(askId)
    const inTime = record?.kind === 'settled' ? 'delivered' : 'too late'
    const side: Side = record === undefined ? 'not shown in time' : isUndelivered ? 'not delivered' : inTime
    const key = `${kindOf(combination)} ${side}`
    this.#sides.set(key, (this.#sides.get(key) ?? 0) + 1)
  }

  get counts(): Record<string, number> {
    return Object.fromEntries([...this.#sides].toSorted(([a], [b]) => a.localeCompare(b)))
  }

  /** A side of the deadline without an answer was not tested. */
  vacuous(): string[] {
    const sides: [string, Side][] = [
      ...(['SDK', 'tools', 'other servers'] as const).flatMap((kind): [string, Side][] => [
        [kind, 'delivered'],
        [kind, 'too late'],
      ]),
      ['other servers', 'not delivered'],
    ]
    return sides
      .filter(([kind, side]) => !this.#sides.has(`${kind} ${side}`))
      .map(([kind, side]) => `no answer for ${kind} was ${side}, so that side was not tested`)
  }
}
