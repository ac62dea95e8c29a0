// One person at an inbox with many open asks: a single poller for all waits, and answers timed to arrive at a given moment.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, PersonAtInbox, ShownAsk } from './person.ts'

const lookEveryMs = 80
const newestCounts = 0.1
const signsInAfter = 10
const failuresMost = 60

export class Lookout {
  #person: PersonAtInbox
  readonly #signIn: () => Promise<PersonAtInbox>
  /** The text of the ask, by the ticket that is searched for. */
  readonly #wanted = new Map<string, (ask: ShownAsk) => void>()
  #looking: Promise<void> | undefined
  /** How long an answer takes to arrive, by recent measurement. */
  #leadMs = 0

  /** @param signIn signs in again after another process of the same user took over the inbox */
  static async begin(signIn: () => Promise<PersonAtInbox>): Promise<Lookout> {
    return new Lookout(await signIn(), signIn)
  }

  private constructor(person: PersonAtInbox, signIn: () => Promise<PersonAtInbox>) {
    this.#person = person
    this.#signIn = signIn
  }

  /**
   * The open ask that mentions this ticket, as soon as it is shown.
   *
   * @param over resolves when it will not be shown any more
   */
  async find(ticket: string, over: Promise<undefined>): Promise<ShownAsk | undefined> {
    const { promise, resolve } = Promise.withResolvers<ShownAsk>()
    this.#wanted.set(ticket, resolve)
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    const found = await Promise.race([promise, over, this.#looking.then(() => promise)])
    this.#wanted.delete(ticket)
    return found
  }

  /** Sends the answer so that it arrives at about this time. Returns the HTTP status. */
  async answerAt(atMs: number, id: string, answer: Answer): Promise<number> {
    await sleep(Math.max(0, atMs - this.#leadMs - Date.now()))
    const beganAt = performance.now()
    const status = await this.#person.answer(id, answer)
    this.#leadMs += (performance.now() - beganAt - this.#leadMs) * newestCounts
    return status
  }

  /** Throws when the inbox does not show it for a while. */
  async read(id: string): Promise<ShownAsk> {
    for (let failures = 1; ; failures++) {
      try {
        return await this.#person.read(id)
      } catch (error) {
        if (failures === failuresMost) throw error
        await this.#afterFailure(failures)
      }
    }
  }

  async #afterFailure(failures: number): Promise<void> {
    await sleep(lookEveryMs)
    if (failures % signsInAfter === 0) this.#person = await this.#signIn()
  }

  async #look(): Promise<void> {
    let failures = 0
    while (this.#wanted.size > 0) {
      const asks = await this.#person.open().catch(() => undefined)
      failures = asks === undefined ? failures + 1 : 0
      if (failures === failuresMost) throw new Error('The inbox shows nothing.')
      if (asks === undefined) {
        await this.#afterFailure(failures)
        continue
      }
      for (const ask of asks) {
        const text = JSON.stringify(ask, withoutPossibleCalls)
        for (const [ticket, resolve] of this.#wanted) if (text.includes(ticket)) resolve(ask)
      }
      await sleep(lookEveryMs)
    }
  }
}

/** If a server may have asked for any of several calls, its card shows all of them: they do not tell whose ask it is. */
function withoutPossibleCalls(name: string, value: unknown): unknown {
  return name === 'oneOf' ? undefined : value
}
