// The last lines that a server printed, to explain why it ended. Values that were given to it in confidence are left out.

import { oneLine } from '@assent/core'
import { type Scrub, scrubber, secretsOfServer } from '../watch/scrub.ts'
import type { StdioServer } from './stdio-wire.ts'

const kept = 5
const keptChars = 200

export class LastLines {
  readonly #lines: string[] = []
  readonly #scrub: Scrub

  constructor({ args = [], env = {}, cwd }: StdioServer) {
    this.#scrub = scrubber(secretsOfServer({ args, env, cwd }))
  }

  add(line: string): void {
    if (line.trim() === '') return
    this.#lines.push(line)
    if (this.#lines.length > kept) this.#lines.shift()
  }

  /** To be put after a sentence; empty when nothing was printed. */
  text(): string {
    if (this.#lines.length === 0) return ''
    return ` It printed last: ${this.#lines.map((line) => oneLine(this.#scrub(line), 'terminal', { maxChars: keptChars })).join(' | ')}`
  }
}
