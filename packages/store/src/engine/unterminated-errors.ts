// Detects errors and notices from PostgreSQL whose terminating byte is missing.
//
// Both are lists of fields, terminated by a zero byte. pg's parser searches for that byte beyond the message and beyond all
// received bytes, in an endless loop that blocks the process.

const error = 69
const notice = 78
const headerBytes = 5
/** PostgreSQL itself never sends errors of this size. */
const longestBytes = 1_048_576

export class UnterminatedErrors {
  /** The first bytes of a message whose header, or whose rest, has not arrived yet. */
  #incomplete: Buffer = Buffer.alloc(0)
  /** The remaining bytes of a message of another kind. */
  #skipBytes = 0

  /** Throws at the bytes that complete such a message. */
  check(bytes: Buffer): void {
    const skipped = Math.min(this.#skipBytes, bytes.length)
    this.#skipBytes -= skipped
    const unread = bytes.subarray(skipped)
    let rest = this.#incomplete.length === 0 ? unread : Buffer.concat([this.#incomplete, unread])
    while (rest.length >= headerBytes) {
      const size = 1 + rest.readUInt32BE(1)
      const isList = rest[0] === error || rest[0] === notice
      if (isList && size > longestBytes) throw new RangeError('The database sent an error that is too long.')
      if (isList && size > rest.length) break
      if (isList && !isTerminated(rest.subarray(headerBytes, size))) {
        throw new RangeError('The database sent an error that is not terminated.')
      }
      this.#skipBytes = Math.max(0, size - rest.length)
      rest = rest.subarray(size)
    }
    this.#incomplete = rest
  }
}

function isTerminated(fields: Buffer): boolean {
  for (let at = 0; at < fields.length; ) {
    if (fields[at] === 0) return true
    const end = fields.indexOf(0, at + 1)
    if (end < 0) return false
    at = end + 1
  }
  return false
}
