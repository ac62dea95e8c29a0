// Line framing for stdio: one message per line.
//
// A line ends with LF only: a JSON string may contain the other characters that Node's line reader treats as line ends.
// A line over the size limit is not buffered: its bytes are discarded as they arrive, except for a few at either end,
// which may identify the message.

import { protocolLimits } from '../limits.ts'
import { textOf } from './utf8.ts'

const lineFeed = 0x0a
const edgeBytes = 256

/** The start and the end of a line that was too long. */
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

  /** The lines that end in this chunk. Undefined for a line that is too long or not UTF-8. */
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

  /** The text after the last line end. */
  rest(): string | undefined {
    return this.#take()
  }

  /** The lines over the size limit since the last call. */
  takeTooLong(): readonly Edges[] {
    return this.#tooLong.splice(0)
  }

  /** Bytes of the current line over the size limit. */
  get bytesTooMany(): number {
    return Math.max(0, this.#bytes - protocolLimits.messageBytes)
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
