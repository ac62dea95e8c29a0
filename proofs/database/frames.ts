// A parser for the part of PostgreSQL's wire protocol that shows what a connection is about to commit.
//
// https://www.postgresql.org/docs/15/protocol-message-formats.html. Without encryption, which these servers do not use.

/** Splits a stream of bytes into messages. A client's first message has no type. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0)
  #isTyped: boolean

  constructor(firstIsTyped: boolean) {
    this.#isTyped = firstIsTyped
  }

  take(bytes: Buffer): Buffer[] {
    const frames: Buffer[] = []
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    for (;;) {
      const typed = this.#isTyped ? 1 : 0
      const length = rest.length < typed + 4 ? Number.POSITIVE_INFINITY : rest.readUInt32BE(typed) + typed
      if (rest.length < length) break
      frames.push(rest.subarray(0, length))
      rest = rest.subarray(length)
      this.#isTyped = true
    }
    this.#rest = rest
    return frames
  }
}

export function typeOf(frame: Buffer): string {
  return String.fromCharCode(frame[0] ?? 0)
}

/** Flush: makes the server send its output without ending the request. */
export const flush: Buffer = Buffer.from([0x48, 0, 0, 0, 4])

export interface Parse {
  readonly name: string
  readonly sql: string
}

export function readParse(frame: Buffer): Parse {
  const [name, end] = textAt(frame, 5)
  return { name, sql: textAt(frame, end)[0] }
}

export interface Bind {
  readonly statement: string
  readonly values: readonly string[]
}

export function readBind(frame: Buffer): Bind {
  const [, portalEnd] = textAt(frame, 5)
  const [statement, nameEnd] = textAt(frame, portalEnd)
  const formats = frame.readUInt16BE(nameEnd)
  let at = nameEnd + 2 + 2 * formats
  const values: string[] = []
  const count = frame.readUInt16BE(at)
  at += 2
  for (let index = 0; index < count; index++) {
    const length = frame.readInt32BE(at)
    at += 4
    if (length < 0) continue
    values.push(frame.toString('utf8', at, at + length))
    at += length
  }
  return { statement, values }
}

/** The text of a request that is one message. */
export function readQuery(frame: Buffer): string {
  return textAt(frame, 5)[0]
}

/** Whether the connection is in a transaction, as reported by the server at the end of each request. */
export function isInTransaction(ready: Buffer): boolean {
  return ready[5] !== 'I'.charCodeAt(0)
}

/** How many rows a statement changed or returned; undefined for one without rows, such as a commit. */
export function rowsOf(complete: Buffer): number | undefined {
  const count = /^(?:SELECT|UPDATE|DELETE|INSERT 0) (\d+)$/.exec(textAt(complete, 5)[0])?.[1]
  return count === undefined ? undefined : Number(count)
}

function textAt(frame: Buffer, start: number): [text: string, end: number] {
  const end = frame.indexOf(0, start)
  return [frame.toString('utf8', start, end), end + 1]
}
