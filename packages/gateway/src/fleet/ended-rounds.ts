// Questions that one process put and whose answers came to another: who put them is told, and counts them no longer.
//
// Many at a time and a moment later, because nothing but a count hangs on it: what is not told stays counted until the time of
// its questions is up.

import { fleetLimits } from '../limits.ts'
import { Mailbox } from './mailbox.ts'

/** On everybody's behalf: only a count hangs on it. */
const anyone = '*'

export class EndedRounds {
  readonly #mailbox: Mailbox
  readonly #tenant: string
  readonly #isShared: boolean
  readonly #onTrouble: (error: unknown) => void
  /** By the process that put them. */
  readonly #ended = new Map<string, string[]>()
  #timer: NodeJS.Timeout | undefined

  constructor(mailbox: Mailbox, tenant: string, isShared: boolean, onTrouble: (error: unknown) => void) {
    this.#mailbox = mailbox
    this.#tenant = tenant
    this.#isShared = isShared
    this.#onTrouble = onTrouble
  }

  /** A name for questions that are put here. */
  name(): string {
    if (this.#isShared) this.#mailbox.open()
    return this.#mailbox.newName()
  }

  /** Who hears of those that were put here and have ended elsewhere. */
  hear(onEnded: (round: string) => void): void {
    this.#mailbox.on('ended', ({ tenant, content }) => {
      const { rounds } = content
      if (tenant !== this.#tenant || !Array.isArray(rounds)) return
      for (const round of rounds) if (typeof round === 'string') onEnded(round)
    })
  }

  /** The answers to these questions have come here. */
  ended(round: string): void {
    const replica = Mailbox.replicaOf(round)
    if (replica === undefined || replica === this.#mailbox.replica) return
    const rounds = this.#ended.get(replica) ?? []
    this.#ended.set(replica, rounds)
    rounds.push(round)
    if (rounds.length >= fleetLimits.endedAtOnce) return void this.#tell(replica)
    this.#timer ??= setTimeout(() => this.#tellAll(), fleetLimits.endedEveryMs)
    this.#timer.unref()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #tellAll(): void {
    this.#timer = undefined
    for (const replica of this.#ended.keys()) this.#tell(replica)
  }

  #tell(replica: string): void {
    const rounds = this.#ended.get(replica) ?? []
    this.#ended.delete(replica)
    const by = { tenant: this.#tenant, principal: anyone }
    this.#mailbox.send(replica, by, 'ended', { rounds }).catch(this.#onTrouble)
  }
}
