// Detects the end of a round: a question is open, nothing is running, and earlier rounds were reached again.
//
// Owns: how much is running and whether a question is open.
// I1  The round ends one turn of the event loop after the last change, so that every branch of the handler that needs no
//     more than a turn has asked, too. A slower branch asks in the next round.
// I2  It never ends while tracked work is running, because a result outside the journal would be work done twice.
// I3  It ends once; after that nothing starts.

export interface RoundEndOptions {
  /** Resolves when everything of earlier rounds was reached again; undefined if it was already. */
  readonly earlierReached: () => Promise<void> | undefined
  /** Runs this after the current turn; `setImmediate` by default. */
  readonly nextTurn?: (check: () => void) => void
}

export class RoundEnd {
  readonly #ending = Promise.withResolvers<void>()
  /** Resolves when the round ends. */
  readonly ended: Promise<void> = this.#ending.promise
  readonly #earlierReached: RoundEndOptions['earlierReached']
  readonly #nextTurn: (check: () => void) => void
  #state: 'running' | 'checking' | 'over' = 'running'
  #running = 0
  #hasOpen = false

  constructor({ earlierReached, nextTurn = (check) => setImmediate(check) }: RoundEndOptions) {
    this.#earlierReached = earlierReached
    this.#nextTurn = nextTurn
  }

  get isOver(): boolean {
    return this.#state === 'over'
  }

  /** A question is open, so the round will end with it. */
  opened(): void {
    this.#hasOpen = true
    this.#schedule()
  }

  /** The round does not end while this is running. */
  async track<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#running++
    try {
      return await work()
    } finally {
      this.#running--
      this.#schedule()
    }
  }

  /** Ends the round now: the handler has ended, or it made a mistake. */
  end(): void {
    this.#state = 'over'
    this.#ending.resolve()
  }

  #schedule(): void {
    if (this.#state !== 'running' || !this.#hasOpen || this.#running > 0) return
    this.#state = 'checking'
    this.#nextTurn(() => this.#check())
  }

  #check(): void {
    if (this.#state !== 'checking') return
    this.#state = 'running'
    // It is scheduled again when that has finished.
    if (this.#running > 0) return
    const reached = this.#earlierReached()
    if (reached === undefined) this.end()
    else void reached.then(() => this.#schedule())
  }
}
