// Decodes bytes as strict UTF-8.
//
// Node's decoder inserts replacement characters for invalid bytes, so two different messages could become equal. A
// stream may be split inside a character: the incomplete bytes are kept until the rest arrives.

import { isUtf8 } from 'node:buffer'

/** Undefined for bytes that are not UTF-8. */
export function textOf(bytes: Buffer): string | undefined {
  return isUtf8(bytes) ? bytes.toString('utf8') : undefined
}

export class Utf8Stream {
  #rest: Buffer | undefined

  /**
   * The characters that are complete now. Undefined when the bytes are not UTF-8: the stream must not be used after
   * that.
   */
  push(chunk: Buffer): string | undefined {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    const end = bytes.length - unfinished(bytes)
    this.#rest = end === bytes.length ? undefined : bytes.subarray(end)
    return textOf(end === bytes.length ? bytes : bytes.subarray(0, end))
  }
}

/** Number of bytes at the end that start an incomplete character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    // 10xxxxxx continues a character, 110xxxxx starts one of two bytes, 1110xxxx three, 11110xxx four.
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0
  }
  return 0
}
