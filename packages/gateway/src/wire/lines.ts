// One message per line, as programs on standard input and output send them.
//
// A line ends with LF and with nothing else: a text in JSON may hold the other characters that Node's own line reader
// takes for ends. A line that is longer than a message may be is never gathered: its bytes are let go as they come, but for a
// few at either end, which may say what it was.

import { wireLimits } from '../limits.ts'
import { textOf } from './utf8.ts'

const lineFeed = 0x0a
const edgeBytes = 256

/** The two ends of a line that was too long. */
export interface Edges {
  readonly head: string
  readonly tail: string
}

export class Lines {
  #pieces: Buffer[] = []
  #bytes = 0
  #head = Buffer.alloc(0)
  #tail = Buffer.alloc(0)
  #tooLong: Edges[] = []

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

  /** The lines that were longer than a message may be, since this was asked last. */
  takeTooLong(): readonly Edges[] {
    return this.#tooLong.splice(0)
  }

  /** Of the line that is coming, beyond what a message may have. */
  get bytesTooMany(): number {
    return Math.max(0, this.#bytes - wireLimits.messageBytes)
  }

  get #isTooLong(): boolean {
    return this.bytesTooMany > 0
  }

  #add(piece: Buffer): void {
    this.#bytes += piece.length
    if (piece.length === 0) return
    this.#pieces.push(piece)
    if (!this.#isTooLong) return
    const gathered = Buffer.concat(this.#pieces)
    if (this.#head.length === 0) this.#head = Buffer.from(gathered.subarray(0, edgeBytes))
    this.#tail = Buffer.from(Buffer.concat([this.#tail, gathered]).subarray(-edgeBytes))
    this.#pieces = []
  }

  #take(): string | undefined {
    const [only, ...others] = this.#pieces
    if (this.#isTooLong)
      this.#tooLong.push({ head: this.#head.toString('latin1'), tail: this.#tail.toString('latin1') })
    const text =
      this.#isTooLong || only === undefined
        ? undefined
        : textOf(others.length === 0 ? only : Buffer.concat(this.#pieces))
    const isEmpty = this.#bytes === 0
    this.#pieces = []
    this.#bytes = 0
    this.#head = Buffer.alloc(0)
    this.#tail = Buffer.alloc(0)
    return isEmpty ? '' : text?.replace(/\r$/, '')
  }
}
