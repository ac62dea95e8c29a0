// Bytes to text, and nothing that is not UTF-8 becomes text.
//
// Node's own decoding puts a replacement character where bytes make no sense, so two different messages could read as
// one. A stream may be cut in the middle of a character: what is left of it waits for the rest.

import { isUtf8 } from 'node:buffer'

/** Undefined for bytes that are not UTF-8. */
export function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

export class Utf8Stream {
  #rest: Buffer | undefined

  /** The characters that are complete now. Undefined when the bytes are not UTF-8, and then for good. */
  push(chunk: Buffer): string | undefined {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    const end = bytes.length - unfinished(bytes)
    this.#rest = end === bytes.length ? undefined : bytes.subarray(end)
    return textOf(end === bytes.length ? bytes : bytes.subarray(0, end))
  }
}

/** How many bytes at the end begin a character that needs more of them. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    // 10xxxxxx goes on, 110xxxxx begins two, 1110xxxx three, 11110xxx four.
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}
