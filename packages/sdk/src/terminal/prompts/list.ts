// One or several options of a list, with the arrow keys; long lists are searched by typing.
//
// Nothing is chosen until a key chooses it, so Enter alone does not answer. Suggested options are marked, never chosen.
// The cursor starts at an earlier answer of the person, if the caller passes one.

import { Prompt } from '@clack/core'
import { terminalLimits } from '../limits.ts'
import type { Pen } from '../pen.ts'
import { drawFrame } from './frame.ts'
import type { PromptStreams } from './run-prompt.ts'

export interface ListOption {
  readonly id: string
  readonly label: string
  /** Text that a search also matches, in addition to the label. */
  readonly also?: string
  /** Shown dimmed next to the label. */
  readonly note?: string
  /** A key that moves to it, or chooses it (`oneKey`), in a list that is not searched. */
  readonly key?: string
}

export interface ListPromptOptions {
  readonly title: string
  readonly help?: string
  readonly options: readonly ListOption[]
  readonly many?: boolean
  /** The key of an option answers, without Enter. */
  readonly oneKey?: boolean
  /** Where the cursor starts; with `many`, the options that are already ticked. */
  readonly begin?: readonly string[]
  readonly keys: readonly string[]
  readonly problem?: (chosen: readonly string[]) => string | undefined
}

/** Lines of a prompt that are not options. */
const linesAround = 12
const linesAtLeast = 4

export class ListPrompt extends Prompt<readonly string[]> {
  readonly #options: ListPromptOptions
  readonly #searched: boolean
  #shown: readonly ListOption[]
  #cursor: number | undefined
  #ticked: readonly string[]
  #moved = false
  #query = ''

  constructor(options: ListPromptOptions, pen: Pen, streams: PromptStreams) {
    const searched = options.options.length > terminalLimits.optionsAtSight
    super({ ...streams, validate: () => this.#problem(), render: () => this.#draw(pen) }, searched)
    const { many = false, begin = [] } = options
    this.#options = options
    this.#searched = searched
    this.#shown = options.options
    this.#ticked = many ? begin : []
    const at = options.options.findIndex(({ id }) => id === begin[0])
    this.#cursor = at >= 0 && !many ? at : many ? 0 : undefined
    this.value = this.#chosen()
    this.on('key', (char, { name }) => this.#press(char, name))
  }

  /** Tab ticks, and is never part of what is searched for. */
  protected override _isActionKey(char: string | undefined): boolean {
    return char === '\t' || (char === ' ' && this.#spaceTicks())
  }

  #spaceTicks(): boolean {
    return this.#options.many === true && (!this.#searched || this.#moved || this.userInput.trim() === '')
  }

  #press(char: string | undefined, name: string | undefined): void {
    if (name === 'up' || name === 'down') {
      this.#restoreQuery()
      this.#move(name === 'up' ? -1 : 1)
    } else if (this.#options.many === true && (char === '\t' || (char === ' ' && this.#spaceTicks()))) this.#tick()
    else if (this.#searched) this.#search(this.userInput)
    else this.#jump(char)
    this.value = this.#chosen()
  }

  /** On these keys the line editor replaces the input with an earlier line; this restores the query. */
  #restoreQuery(): void {
    if (!this.#searched || this.userInput === this.#query) return
    this._clearUserInput()
    this._setUserInput(this.#query, true)
  }

  #move(by: number): void {
    const count = this.#shown.length
    if (count === 0) return
    this.#moved = true
    if (this.#cursor === undefined) this.#cursor = by > 0 ? 0 : count - 1
    else this.#cursor = (this.#cursor + by + count) % count
  }

  #jump(char: string | undefined): void {
    const at = this.#shown.findIndex(({ key }) => key !== undefined && key === char?.toLowerCase())
    if (at < 0) return
    this.#cursor = at
    if (this.#options.oneKey === true) this.state = 'submit'
  }

  #tick(): void {
    const id = this.#shown[this.#cursor ?? -1]?.id
    if (id === undefined) return
    const without = this.#ticked.filter((other) => other !== id)
    this.#ticked = without.length < this.#ticked.length ? without : [...without, id]
  }

  #search(query: string): void {
    this.#query = query
    const wanted = query.trim().toLowerCase()
    const shown = this.#options.options.filter(
      ({ label, also = '' }) => label.toLowerCase().includes(wanted) || also.toLowerCase().includes(wanted),
    )
    if (shown.length === this.#shown.length && shown.every((option, index) => option === this.#shown[index])) return
    this.#shown = shown
    this.#moved = false
    // Typing a search selects its first match, which Enter accepts.
    this.#cursor = shown.length === 0 ? undefined : 0
  }

  #chosen(): readonly string[] {
    // In the order of the list, not of the ticking.
    if (this.#options.many === true) {
      return this.#options.options.map(({ id }) => id).filter((id) => this.#ticked.includes(id))
    }
    const id = this.#shown[this.#cursor ?? -1]?.id
    return id === undefined ? [] : [id]
  }

  #problem(): string | undefined {
    const chosen = this.#chosen()
    if (this.#options.many !== true && chosen.length === 0) return 'Choose one first, then press enter.'
    return this.#options.problem?.(chosen)
  }

  #draw(pen: Pen): string {
    const { options } = this.#options
    const chosen = this.#chosen()
    const labels = options.filter(({ id }) => chosen.includes(id)).map(({ label }) => label)
    const search = this.#searched ? [this.#searchLine(pen), ''] : []
    return drawFrame(pen, {
      ...this.#options,
      body: [...search, ...this.#lines(pen)],
      answer: labels.length === 0 ? 'nothing' : labels.join(', '),
      state: this.state,
      error: this.error,
    })
  }

  #searchLine(pen: Pen): string {
    const count = pen.paint('dim', `${this.#shown.length} of ${this.#options.options.length}`)
    const typed = this.userInput === '' ? pen.paint('dim', 'type to search') : this.userInput
    return `${typed}${pen.paint('inverse', ' ')}  ${count}`
  }

  #lines(pen: Pen): string[] {
    if (this.#shown.length === 0) return [pen.paint('yellow', 'nothing matches')]
    const room = Math.max(pen.rows - linesAround, linesAtLeast)
    const cursor = this.#cursor ?? 0
    const from = Math.max(Math.min(cursor - Math.floor(room / 2), this.#shown.length - room), 0)
    const seen = this.#shown.slice(from, from + room)
    const lines = seen.map((option, index) => this.#line(pen, option, from + index === this.#cursor))
    const above = from > 0 ? [pen.paint('dim', `${pen.signs.more} ${from} above`)] : []
    const below = this.#shown.length - from - seen.length
    return [...above, ...lines, ...(below > 0 ? [pen.paint('dim', `${pen.signs.more} ${below} below`)] : [])]
  }

  #line(pen: Pen, { id, label, note, key }: ListOption, atCursor: boolean): string {
    const { signs, paint } = pen
    const many = this.#options.many === true
    const on = many ? this.#ticked.includes(id) : atCursor
    const sign = many ? (on ? signs.ticked : signs.unticked) : on ? signs.on : signs.off
    const text = atCursor ? paint('bold', label) : label
    const keyHint = key === undefined ? '' : `  ${paint('dim', key)}`
    return `${paint(on ? 'cyan' : 'dim', sign)} ${text}${keyHint}${note === undefined ? '' : `  ${paint('dim', note)}`}`
  }
}
