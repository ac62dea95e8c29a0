// One message per line, as programs on standard input and output send them.
//
// A line ends with LF and with nothing else: a text in JSON may hold the other characters that Node's own line reader
// takes for ends. A line that is longer than a message may be is never gathered: its bytes are let go as they come.

import { wireLimits } from '../limits.ts'
import { textOf } from './utf8.ts'

const lineFeed = 0x0a

export class Lines {
  #pieces: Buffer[] = []
  #bytes = 0
  #hadTooLong = false

  /** The lines that end in this piece. Undefined stands for one that is too long, or is not UTF-8. */
  push(chunk: Buffer): (string | undefined)[] {
    const lines: (string | undefined)[] = []
    let from = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      this.#add(chunk.subarray(from, end))
      lines.push(this.#take())
      from = end + 1
    }
    this.#add(chunk.subarray(from))
    return lines
  }

  /** What came after the last end. */
  rest(): string | undefined {
    return this.#take()
  }

  /** Whether a line was longer than a message may be, or the one that is coming is. */
  get hadTooLong(): boolean {
    return this.#hadTooLong || this.#isTooLong
  }

  get #isTooLong(): boolean {
    return this.#bytes > wireLimits.messageBytes
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length
    if (this.#isTooLong) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece)
  }

  #take(): string | undefined {
    const [only, ...others] = this.#pieces
    this.#hadTooLong ||= this.#isTooLong
    const text =
      this.#isTooLong || only === undefined
        ? undefined
        : textOf(others.length === 0 ? only : Buffer.concat(this.#pieces))
    const isEmpty = this.#bytes === 0
    this.#pieces = []
    this.#bytes = 0
    return isEmpty ? '' : text?.replace(/\r$/, '')
  }
}
