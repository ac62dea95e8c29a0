// Letters between the processes that share a store: from one to another, or to all.
//
// A letter is a row before anyone is told to look for it, so a lost signal delays it and nothing more. It is taken out by
// its addressee, once; one to all stays until its time is over, and each reads it once. Letters decide nothing: whoever
// gets one judges it as if its sender had come in person.

import { randomBytes } from 'node:crypto'
import type { Engine } from '../engine/engine.ts'
import { query } from '../engine/statement.ts'
import { type Bell, Bells } from '../wake/bells.ts'
import type { Watch } from '../wake/watch.ts'
import { type LetterRow, lookIntoBox, readNotices, takeLetters } from './read-letters.ts'
import { sendLetter } from './send-letter.ts'

export interface Letter {
  readonly id: string
  readonly tenant: string
  /** On whose behalf it was sent. */
  readonly principal: string
  /** The store does not look into it. */
  readonly body: string
}

export interface LetterLimits {
  readonly keepMs: number
  /** Letters in one box at once: of all, and of one principal. */
  readonly inBox: number
  readonly ofOne: number
}

export interface Box {
  /** The letters that have come since the last time, as soon as there are any; none when the signal aborts. */
  next(signal: AbortSignal): Promise<Letter[]>
  close(): void
}

const everyone = '*'
const takenAtOnce = 500
// More than a box may hold, so that one reading sees all of them.
const noticesAtOnce = 20_000
// A letter is stamped before it is committed; whoever reads by the stamp must look back at least this far.
const commitDelayMs = 5_000

const readTime = query<Record<string, never>, { now: number }>('read_time', 'select :now as now')

export class Letters {
  readonly #engine: Engine
  readonly #watch: Watch | undefined
  readonly #pollMs: number
  readonly #bells = new Bells()

  /** @param watch wakes other processes too; without it they look when the poll says so */
  constructor(engine: Engine, watch: Watch | undefined, pollMs: number) {
    this.#engine = engine
    this.#watch = watch
    this.#pollMs = pollMs
  }

  /** An id that sorts by the time it was made; letters of one sender are read in this order. */
  newId(nowMs: number): string {
    return `${nowMs.toString(36).padStart(9, '0')}${nextCount()}${randomBytes(12).toString('hex')}`
  }

  /** False when the box is full; then nothing was sent. */
  async send(to: string, letter: Letter, { keepMs, inBox, ofOne }: LetterLimits): Promise<boolean> {
    const { id, tenant, principal, body } = letter
    const params = { box: to, id, tenant, principal, body, keep: keepMs, at_most: inBox, at_most_of_one: ofOne }
    const rows = await this.#engine.run(sendLetter, params)
    if (rows.length === 0) return false
    if (this.#watch === undefined) this.#bells.ring(nameOf(to))
    else this.#watch.moved(nameOf(to), '')
    return true
  }

  async sendToAll(letter: Letter, limits: LetterLimits): Promise<boolean> {
    return this.send(everyone, letter, limits)
  }

  /** From now on, letters to this box and to all are heard here. */
  open(box: string): Box {
    const names = [nameOf(box), nameOf(everyone)]
    const bell = this.#watch?.listenToAll(...names) ?? this.#bells.listen(names)
    return new OpenBox(this.#engine, box, bell, this.#pollMs)
  }
}

class OpenBox implements Box {
  readonly #engine: Engine
  readonly #box: string
  readonly #bell: Bell
  readonly #pollMs: number
  /** The letters to all that were read, by when they were sent. */
  readonly #seen = new Map<string, number>()
  #sinceMs: number | undefined

  constructor(engine: Engine, box: string, bell: Bell, pollMs: number) {
    this.#engine = engine
    this.#box = box
    this.#bell = bell
    this.#pollMs = pollMs
  }

  async next(signal: AbortSignal): Promise<Letter[]> {
    while (!signal.aborted) {
      const letters = [...(await this.#take()), ...(await this.#notices())]
      if (letters.length > 0) return letters
      await this.#bell.rung(this.#pollMs, signal)
    }
    return []
  }

  close(): void {
    this.#bell.close()
  }

  async #take(): Promise<Letter[]> {
    const [any] = await this.#engine.run(lookIntoBox, { box: this.#box })
    if (any === undefined) return []
    const rows = await this.#engine.run(takeLetters, { box: this.#box, at_most: takenAtOnce })
    return rows
      .filter(({ is_late }) => is_late === 0)
      .map(letterOf)
      .sort(byId)
  }

  async #notices(): Promise<Letter[]> {
    if (this.#sinceMs === undefined) {
      const [time] = await this.#engine.run(readTime, {})
      this.#sinceMs = (time?.now ?? 0) - commitDelayMs
    }
    const rows = await this.#engine.run(readNotices, { box: everyone, since: this.#sinceMs, at_most: noticesAtOnce })
    const fresh = rows.filter(({ id }) => !this.#seen.has(id))
    for (const { id, sent_at } of fresh) this.#seen.set(id, sent_at)
    const last = rows.at(-1)
    if (last !== undefined) this.#sinceMs = Math.max(this.#sinceMs, last.now - commitDelayMs)
    for (const [id, at] of this.#seen) if (at < this.#sinceMs) this.#seen.delete(id)
    return fresh.map(letterOf).sort(byId)
  }
}

function letterOf({ id, tenant, principal, body }: LetterRow): Letter {
  return { id, tenant, principal, body }
}

function byId(a: Letter, b: Letter): number {
  return a.id < b.id ? -1 : 1
}

/** No tenant is called so: a name of one has no control characters. */
function nameOf(box: string): string {
  return `\u0001letters ${box}`
}

let count = 0

function nextCount(): string {
  count = (count + 1) % 36 ** 4
  return count.toString(36).padStart(4, '0')
}
