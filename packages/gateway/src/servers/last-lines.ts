// The last lines that a server printed, to explain why it ended. Its configured secrets are redacted.

import { oneLine } from '@assent/core'
import { type Redact, redactor, secretsOfServer } from '../config/redact.ts'
import type { StdioServer } from './stdio-server.ts'

const kept = 5
const keptChars = 200

export class LastLines {
  readonly #lines: string[] = []
  readonly #redact: Redact

  constructor({ args = [], env = {}, cwd }: StdioServer) {
    this.#redact = redactor(secretsOfServer({ args, env, cwd }))
  }

  add(line: string): void {
    if (line.trim() === '') return
    this.#lines.push(line)
    if (this.#lines.length > kept) this.#lines.shift()
  }

  /** To be appended to a sentence; empty when nothing was printed. */
  text(): string {
    if (this.#lines.length === 0) return ''
    return ` It printed last: ${this.#lines.map((line) => oneLine(this.#redact(line), 'terminal', { maxChars: keptChars })).join(' | ')}`
  }
}
