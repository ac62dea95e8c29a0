// A number: typed, or moved with the arrow keys; with two bounds it is drawn as a slider.

import { TextPrompt } from '@clack/core'
import type { Pen } from '../pen.ts'
import { type LinePromptOptions, linePromptSettings } from './line.ts'
import type { PromptStreams } from './run-prompt.ts'

export interface NumberPromptOptions extends LinePromptOptions {
  readonly min?: number
  readonly max?: number
}

const sliderColumns = 32
const bigStep = 10

/** Decimal digits only, because other notations (`1e3`, `0x10`) are easy to misread. Undefined for anything else. */
export function readNumber(line: string): number | undefined {
  const typed = line.trim()
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(typed) ? Number(typed) : undefined
}

export class NumberPrompt extends TextPrompt {
  readonly #options: NumberPromptOptions
  /** The input before the current key: on an arrow key the line editor replaces it with an earlier line. */
  #line: string

  constructor(options: NumberPromptOptions, pen: Pen, streams: PromptStreams) {
    super(linePromptSettings(options, pen, streams, (line) => slider(line, options, pen)))
    this.#options = options
    this.#line = options.suggested ?? ''
    this.on('key', (_, { name }) => {
      if (name === 'up') this.#step(1)
      if (name === 'down') this.#step(-1)
      if (name === 'pageup') this.#step(bigStep)
      if (name === 'pagedown') this.#step(-bigStep)
      this.#line = this.userInput
    })
  }

  #step(by: number): void {
    const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = this.#options
    const now = readNumber(this.#line)
    // Without a number, the first arrow key only sets the start value.
    const next = now === undefined ? startOf(this.#options) : Math.min(Math.max(now + by, min), max)
    this._clearUserInput()
    this._setUserInput(String(next), true)
  }
}

function startOf({ min, max }: NumberPromptOptions): number {
  if (min !== undefined && max !== undefined) return Math.round((min + max) / 2)
  return min ?? max ?? 0
}

function slider(line: string, { min, max }: NumberPromptOptions, pen: Pen): readonly string[] {
  if (min === undefined || max === undefined || !(min < max)) return []
  const { signs, paint } = pen
  const value = readNumber(line)
  const part = value === undefined ? undefined : (Math.min(Math.max(value, min), max) - min) / (max - min)
  const at = part === undefined ? -1 : Math.round(part * (sliderColumns - 1))
  const track =
    at < 0
      ? paint('dim', signs.track.repeat(sliderColumns))
      : paint('cyan', signs.filled.repeat(at)) +
        paint('bold', signs.on) +
        paint('dim', signs.track.repeat(sliderColumns - 1 - at))
  return ['', `${min} ${track} ${max}`]
}
