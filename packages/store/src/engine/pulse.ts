// Whether the database answers at all, and what time it has.
//
// One statement may take its time. But while one waits longer than usual, the database is asked something small on a
// connection of its own; when that stays without an answer too, it is away: all that wait are told so, and whoever comes
// is told at once, until it answers again. So nobody waits long for a database that is gone, cut off or far too slow.
//
// Silence is counted in ticks of a timer and not by a clock: a process that was held up itself blames nobody for it.

import { AssentError } from '@assent/core'

/** What it is asked on. */
export interface PulseLine {
  readonly isOpen: boolean
  /**
   * The database's time in milliseconds; undefined when it answered with a refusal. Opens the line if need be.
   * @param onSent told when the question leaves: opening the line is not part of its way
   */
  ask(onSent: () => void): Promise<number | undefined>
  /** Gives the line up, and with it what was asked. */
  drop(): void
}

export interface PulseOptions {
  readonly line: PulseLine
  /** What was under way is lost, and so are its connections. */
  readonly onAway: () => void
  readonly onTrouble: (error: unknown) => void
}

/** One who waits for the database. */
export interface Waiting {
  /** Nobody waits any more: what has not been sent yet must not be. */
  isOver: boolean
}

interface Wait extends Waiting {
  readonly sinceTick: number
  readonly isPatient: boolean
  readonly giveUp: (error: AssentError) => void
}

const tickMs = 100
/** How long a statement waits before the database is doubted, and how long it may take to say that it is there. */
const doubtTicks = 5
const answerTicks = 9
/** The same where the line has to be opened first. */
const openTicks = 15
/** The longest that anyone waits, in line and for the answer, who does not say that they are patient. */
const longestTicks = 20
/** In peace it is asked this often, so that its time is known and the line is not forgotten by anything in between. */
const restTicks = 20
/** After it could not be asked at all. */
const againTicks = 3

/** What comes back within this says the time well enough. */
const surelyMs = 50
/** Beyond this its clock has jumped, and not just gone a little faster or slower than ours. */
const jumpMs = 1_000

const silent = 'The database does not answer.'

export class Pulse {
  readonly #options: PulseOptions
  readonly #timer: NodeJS.Timeout
  /** In the order in which they came. */
  readonly #waits = new Set<Wait>()
  #tick = 0
  #askedTick: number | undefined
  #heardTick = 0
  #failedTick = 0
  #isAway = false
  #isBeginning = false
  #aheadMs: number | undefined
  /** What it said last, when that was not what is believed. */
  #doubtfulAheadMs = Number.NaN

  constructor(options: PulseOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#look(), tickMs)
    this.#timer.unref()
  }

  /** The database's time, by its last word and a clock of ours that only runs forward. */
  get nowMs(): number | undefined {
    return this.#aheadMs === undefined ? undefined : this.#aheadMs + performance.now()
  }

  /** Does the work while the database answers, and within two seconds unless it is patient. */
  watch<Value>(work: (waiting: Waiting) => Promise<Value>, isPatient: boolean): Promise<Value> {
    if (this.#isAway) return Promise.reject(unavailable(silent))
    const { promise, resolve, reject } = Promise.withResolvers<Value>()
    const wait: Wait = { sinceTick: this.#tick, isPatient, giveUp: reject, isOver: false }
    this.#waits.add(wait)
    const over = () => {
      wait.isOver = true
      this.#waits.delete(wait)
    }
    work(wait).then(
      (value) => {
        over()
        resolve(value)
      },
      (error: unknown) => {
        over()
        reject(error)
      },
    )
    return promise
  }

  /** Learns the time, for the first time. Nobody waits for anything yet, so it may take as long as opening a line may. */
  async begin(): Promise<void> {
    this.#isBeginning = true
    await this.#ask().finally(() => {
      this.#isBeginning = false
    })
  }

  close(): void {
    clearInterval(this.#timer)
    this.#options.line.drop()
  }

  #look(): void {
    this.#tick += 1
    if (this.#isBeginning) return
    this.#giveUpOverdue()
    if (this.#askedTick === undefined) {
      if (this.#isDue) this.#ask().catch(() => this.#unheard())
      return
    }
    const { line } = this.#options
    if (this.#tick - this.#askedTick < (line.isOpen ? answerTicks : openTicks)) return
    this.#askedTick = undefined
    line.drop()
    this.#unheard()
  }

  get #isDue(): boolean {
    if (this.#tick - this.#failedTick < againTicks) return false
    if (this.#isAway) return true
    return this.#tick - this.#heardTick >= (this.#isDoubted ? doubtTicks : restTicks)
  }

  async #ask(): Promise<void> {
    const asked = this.#tick
    this.#askedTick = asked
    let sentAt = performance.now()
    const theirsMs = await this.#options.line.ask(() => {
      sentAt = performance.now()
    })
    // It was given up meanwhile, and this is the end of it.
    if (this.#askedTick !== asked) return
    this.#askedTick = undefined
    const heardAt = performance.now()
    // In the middle of the way there and back, as good a guess as there is.
    if (theirsMs !== undefined) this.#learn(theirsMs - (sentAt + heardAt) / 2, heardAt - sentAt)
    this.#heard()
  }

  /**
   * A clock that jumps is believed when it says so twice: one garbled digit must not move every deadline. Nor must a long
   * way: the clock was read somewhere on it, and while what is known fits that, its middle is the worse guess.
   */
  #learn(aheadMs: number, wayMs: number): void {
    const known = this.#aheadMs
    const isVague = known !== undefined && wayMs > surelyMs && Math.abs(aheadMs - known) <= wayMs / 2
    const isAsBefore = [known ?? aheadMs, this.#doubtfulAheadMs].some((before) => Math.abs(aheadMs - before) < jumpMs)
    this.#doubtfulAheadMs = aheadMs
    if (isAsBefore && !isVague) this.#aheadMs = aheadMs
  }

  #heard(): void {
    this.#heardTick = this.#tick
    if (!this.#isAway) return
    this.#isAway = false
    this.#options.onTrouble(new Error('The database answers again.'))
  }

  /** It said nothing, or nothing that can be understood. Only where somebody waits for it does that mean anything. */
  #unheard(): void {
    this.#askedTick = undefined
    this.#failedTick = this.#tick
    if (this.#isAway || !this.#isDoubted) return
    this.#isAway = true
    this.#options.onTrouble(new Error(`${silent} Until it does, whoever needs it is told so at once.`))
    for (const wait of this.#waits) this.#giveUp(wait, silent)
    this.#options.onAway()
  }

  #giveUpOverdue(): void {
    for (const wait of this.#waits) {
      // Those behind it came later.
      if (this.#tick - wait.sinceTick < longestTicks) return
      if (!wait.isPatient) this.#giveUp(wait, 'The database takes too long.')
    }
  }

  #giveUp(wait: Wait, why: string): void {
    wait.isOver = true
    this.#waits.delete(wait)
    wait.giveUp(unavailable(why))
  }

  get #isDoubted(): boolean {
    const [oldest] = this.#waits
    return oldest !== undefined && this.#tick - oldest.sinceTick >= doubtTicks
  }
}

function unavailable(why: string): AssentError {
  return new AssentError('store_unavailable', `${why} Try again a little later.`)
}
