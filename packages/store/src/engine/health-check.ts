// Checks whether the database answers, and samples its clock.
//
// Owns: the list of statements under way, the health connection, and the known clock offset.
// I1  While a statement takes longer than usual, a small query runs on a separate connection. If that gets no answer either,
//     the database is unavailable: all statements under way fail, and new ones fail at once, until it answers again. So no
//     caller waits long for a database that is down, unreachable or far too slow.
// I2  Timeouts are counted in ticks of a timer, not by a clock: time during which this process itself was blocked does not count.
// I3  One wrong clock sample never moves a deadline.

import { AssentError } from '@assent/core'

export interface HealthConnection {
  readonly isOpen: boolean
  /**
   * The database's time in milliseconds; undefined if it answered with an error. Opens the connection if necessary.
   * @param onSent called when the query is sent: opening the connection does not count as round-trip time
   */
  readTime(onSent: () => void): Promise<number | undefined>
  /** Closes the connection and abandons its query. */
  drop(): void
}

export interface HealthCheckOptions {
  readonly connection: HealthConnection
  /** The database became unavailable: statements under way, and their connections, are lost. */
  readonly onUnavailable: () => void
  readonly onError: (error: unknown) => void
}

/** A statement under way. */
export interface PendingStatement {
  /** Its caller has already received an error, so a statement that was not sent yet must not be sent. */
  isAbandoned: boolean
}

interface Pending extends PendingStatement {
  readonly sinceTick: number
  readonly noDeadline: boolean
  readonly fail: (error: AssentError) => void
}

const tickMs = 100
/** How long a statement runs before the database is suspect, and how long the health query may then take. */
const suspectTicks = 5
const answerTicks = 9
/** The same if the connection has to be opened first. */
const openTicks = 15
/** The longest wait, including the wait for a connection, of a statement that has a deadline. */
const deadlineTicks = 20
/** How often the database is checked otherwise: to sample its clock, and so that no firewall drops the connection. */
const idleTicks = 20
/** The pause after a failed check. */
const retryTicks = 3

/** A sample with a round trip up to this is precise enough. */
const preciseRoundTripMs = 50
/** A larger difference means that the database's clock was set; a smaller one is drift. */
const clockJumpMs = 1_000

const noAnswer = 'The database does not answer.'

export class HealthCheck {
  readonly #options: HealthCheckOptions
  readonly #timer: NodeJS.Timeout
  /** Oldest first. */
  readonly #pending = new Set<Pending>()
  #tick = 0
  #sentTick: number | undefined
  #answeredTick = 0
  #failedTick = 0
  #isUnavailable = false
  #isStarting = false
  #isClosed = false
  /** The database's clock minus this process's monotonic clock. */
  #offsetMs: number | undefined
  /** The offset of the last sample, whether it was adopted or not. */
  #lastOffsetMs = Number.NaN

  constructor(options: HealthCheckOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#onTick(), tickMs)
    this.#timer.unref()
  }

  /** The database's time, by its last sample and our monotonic clock. */
  get nowMs(): number | undefined {
    return this.#offsetMs === undefined ? undefined : this.#offsetMs + performance.now()
  }

  /** Runs the work; rejects when the database becomes unavailable, and after two seconds unless there is no deadline. */
  watch<Value>(work: (statement: PendingStatement) => Promise<Value>, noDeadline: boolean): Promise<Value> {
    if (this.#isUnavailable) return Promise.reject(unavailable(noAnswer))
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const pending: Pending = { sinceTick: this.#tick, noDeadline, fail: reject, isAbandoned: false }
    this.#pending.add(pending)
    const done = () => {
      pending.isAbandoned = true
      this.#pending.delete(pending)
    }
    work(pending).then(
      (value) => {
        done()
        resolve(value)
      },
      (error: unknown) => {
        done()
        reject(error)
      },
    )
    return promise
  }

  /** Reads the time for the first time. No statement runs yet, so it may take as long as opening a connection may. */
  async start(): Promise<void> {
    this.#isStarting = true
    await this.#check().finally(() => {
      this.#isStarting = false
    })
  }

  close(): void {
    this.#isClosed = true
    clearInterval(this.#timer)
    this.#options.connection.drop()
  }

  #onTick(): void {
    this.#tick += 1
    if (this.#isStarting) return
    this.#failOverdue()
    if (this.#sentTick === undefined) {
      if (this.#isDue) this.#check().catch(() => this.#failed())
      return
    }
    const { connection } = this.#options
    if (this.#tick - this.#sentTick < (connection.isOpen ? answerTicks : openTicks)) return
    this.#sentTick = undefined
    connection.drop()
    this.#failed()
  }

  get #isDue(): boolean {
    if (this.#tick - this.#failedTick < retryTicks) return false
    if (this.#isUnavailable) return true
    return this.#tick - this.#answeredTick >= (this.#isSuspect ? suspectTicks : idleTicks)
  }

  async #check(): Promise<void> {
    const sentTick = this.#tick
    this.#sentTick = sentTick
    let sentAt = performance.now()
    const databaseMs = await this.#options.connection.readTime(() => {
      sentAt = performance.now()
    })
    // This check was abandoned meanwhile.
    if (this.#sentTick !== sentTick) return
    this.#sentTick = undefined
    const receivedAt = performance.now()
    // Assume the clock was read halfway through the round trip (as NTP does).
    if (databaseMs !== undefined) this.#addSample(databaseMs - (sentAt + receivedAt) / 2, receivedAt - sentAt)
    this.#answered()
  }

  /**
   * A clock jump is adopted only when two samples in a row agree: one corrupted digit must not move every deadline. A sample
   * with a long round trip is ignored while the known offset lies within half a round trip of it.
   */
  #addSample(offsetMs: number, roundTripMs: number): void {
    const known = this.#offsetMs
    const isImprecise =
      known !== undefined && roundTripMs > preciseRoundTripMs && Math.abs(offsetMs - known) <= roundTripMs / 2
    const isConfirmed = [known ?? offsetMs, this.#lastOffsetMs].some(
      (earlier) => Math.abs(offsetMs - earlier) < clockJumpMs,
    )
    this.#lastOffsetMs = offsetMs
    if (isConfirmed && !isImprecise) this.#offsetMs = offsetMs
  }

  #answered(): void {
    this.#answeredTick = this.#tick
    if (!this.#isUnavailable) return
    this.#isUnavailable = false
    this.#options.onError(new Error('The database answers again.'))
  }

  /** No answer, or none that can be parsed. The database counts as unavailable only if a statement waits for it. */
  #failed(): void {
    this.#sentTick = undefined
    this.#failedTick = this.#tick
    if (this.#isClosed || this.#isUnavailable || !this.#isSuspect) return
    this.#isUnavailable = true
    this.#options.onError(new Error(`${noAnswer} Until it does, requests that need it fail at once.`))
    for (const pending of this.#pending) this.#fail(pending, noAnswer)
    this.#options.onUnavailable()
  }

  #failOverdue(): void {
    for (const pending of this.#pending) {
      // All after it are newer.
      if (this.#tick - pending.sinceTick < deadlineTicks) return
      if (!pending.noDeadline) this.#fail(pending, 'The database took too long to answer.')
    }
  }

  #fail(pending: Pending, reason: string): void {
    pending.isAbandoned = true
    this.#pending.delete(pending)
    pending.fail(unavailable(reason))
  }

  get #isSuspect(): boolean {
    const [oldest] = this.#pending
    return oldest !== undefined && this.#tick - oldest.sinceTick >= suspectTicks
  }
}

function unavailable(reason: string): AssentError {
  return new AssentError('store_unavailable', `${reason} Try again later.`)
}
