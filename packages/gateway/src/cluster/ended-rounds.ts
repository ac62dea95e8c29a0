// Notifies a replica when the answers to its questions arrived at another one, so that it no longer counts them as
// open.
//
// The messages are sent in batches after a short delay, because only a count depends on them: without a message the
// questions are counted until they expire.

import { clusterLimits } from '../limits.ts'
import { Mailbox } from './mailbox.ts'

/** The principal of these messages: one message covers rounds of several people. */
const anyone = '*'

export class EndedRounds {
  readonly #mailbox: Mailbox
  readonly #tenant: string
  readonly #isShared: boolean
  readonly #onError: (error: unknown) => void
  /** Ended rounds, by the replica that asked them. */
  readonly #ended = new Map<string, string[]>()
  #timer: NodeJS.Timeout | undefined

  constructor(mailbox: Mailbox, tenant: string, isShared: boolean, onError: (error: unknown) => void) {
    this.#mailbox = mailbox
    this.#tenant = tenant
    this.#isShared = isShared
    this.#onError = onError
  }

  /** A new name for a round that is asked here. */
  name(): string {
    if (this.#isShared) this.#mailbox.open()
    return this.#mailbox.newName()
  }

  /** Registers the callback for rounds that were asked here and ended on another replica. */
  onEnded(onEnded: (round: string) => void): void {
    this.#mailbox.on('ended', ({ tenant, content }) => {
      const { rounds } = content
      if (tenant !== this.#tenant || !Array.isArray(rounds)) return
      for (const round of rounds) if (typeof round === 'string') onEnded(round)
    })
  }

  /** Called when the answers to a round arrived here. */
  ended(round: string): void {
    const replica = Mailbox.replicaOf(round)
    if (replica === undefined || replica === this.#mailbox.replica) return
    const rounds = this.#ended.get(replica) ?? []
    this.#ended.set(replica, rounds)
    rounds.push(round)
    if (rounds.length >= clusterLimits.endedAtOnce) return void this.#send(replica)
    this.#timer ??= setTimeout(() => this.#sendAll(), clusterLimits.endedEveryMs)
    this.#timer.unref()
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #sendAll(): void {
    this.#timer = undefined
    for (const replica of this.#ended.keys()) this.#send(replica)
  }

  #send(replica: string): void {
    const rounds = this.#ended.get(replica) ?? []
    this.#ended.delete(replica)
    const by = { tenant: this.#tenant, principal: anyone }
    this.#mailbox.send(replica, by, 'ended', { rounds }).catch(this.#onError)
  }
}
