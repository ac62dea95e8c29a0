// Letters between the processes that share a store: from one to another, or to all.
//
// A letter is a row before anyone is told to look for it, so a lost signal delays it and nothing more. It is taken out by
// its addressee, once; one to all stays until its time is over, and each reads it once. Letters decide nothing: whoever
// gets one judges it as if its sender had come in person.

import { randomBytes } from 'node:crypto'
import { addOnce, type Engine } from '../engine/engine.ts'
import { query } from '../engine/statement.ts'
import { type Bell, Bells } from '../wake/bells.ts'
import type { Watch } from '../wake/watch.ts'
import { type BoxRow, type LetterRow, lookIntoBox, readNotices, takeLetters, waitsInBox } from './read-letters.ts'
import { findLetter, type SendParams, sendLetter } from './send-letter.ts'

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
    if (!(await this.#sent(params))) return false
    if (this.#watch === undefined) this.#bells.ring(nameOf(to))
    else this.#watch.moved(nameOf(to), '')
    return true
  }

  async #sent(params: SendParams): Promise<boolean> {
    if ((await addOnce(this.#engine, 'letters', sendLetter, params)).length === 1) return true
    // An id is new each time: a letter that is there already is this one, whose sending was unclear.
    return (await this.#engine.run(findLetter, { box: params.box, id: params.id })).length === 1
  }

  async sendToAll(letter: Letter, limits: LetterLimits): Promise<boolean> {
    return this.send(everyone, letter, limits)
  }

  /** How long a letter has waited for whoever reads this box; 0 when none does. Who lives reads within moments. */
  async waitsMs(box: string): Promise<number> {
    const [first] = await this.#engine.run(waitsInBox, { box })
    return first?.waited ?? 0
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
  /** Letters that wait to be handed to whoever reads here. */
  readonly #ready: Letter[] = []
  /** Letters that were read, and may be out of the box or not. */
  readonly #inBox = new Map<string, BoxRow>()
  /** Letters that were acted on, until their time is over. */
  readonly #taken = new Map<string, number>()

  constructor(engine: Engine, box: string, bell: Bell, pollMs: number) {
    this.#engine = engine
    this.#box = box
    this.#bell = bell
    this.#pollMs = pollMs
  }

  async next(signal: AbortSignal): Promise<Letter[]> {
    while (!signal.aborted) {
      // One after the other, because what was taken must not be dropped when the next look fails.
      this.#ready.push(...(await this.#take()))
      this.#ready.push(...(await this.#notices()))
      if (this.#ready.length > 0) return this.#ready.splice(0)
      await this.#bell.rung(this.#pollMs, signal)
    }
    return []
  }

  close(): void {
    this.#bell.close()
  }

  /**
   * What was in the box is acted on once it is out of it. When a connection breaks nobody knows whether it is, so it was
   * read before; and what was acted on once is passed over should it be there again.
   */
  async #take(): Promise<Letter[]> {
    const box = this.#box
    for (const row of await this.#engine.run(lookIntoBox, { box, at_most: takenAtOnce })) this.#inBox.set(row.id, row)
    if (this.#inBox.size === 0) return []
    const ids = [...this.#inBox.keys()].sort()
    await this.#engine.runRepeatable(takeLetters, { box, last: ids.at(-1) ?? '', ids: ids.join(' ') })
    const rows = [...this.#inBox.values()].filter(({ id }) => !this.#taken.has(id))
    this.#inBox.clear()
    this.#remember(rows)
    return rows
      .filter(({ is_late }) => is_late === 0)
      .map(letterOf)
      .sort(byId)
  }

  #remember(rows: readonly BoxRow[]): void {
    for (const { id, expires_at } of rows) this.#taken.set(id, expires_at)
    const now = rows[0]?.now ?? 0
    for (const [id, expiresAt] of this.#taken) {
      // They are in the order in which they came, which is nearly that of their ends.
      if (expiresAt > now) return
      this.#taken.delete(id)
    }
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
