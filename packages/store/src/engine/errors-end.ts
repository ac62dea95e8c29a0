// Watches what PostgreSQL sends for errors and notices that have no end.
//
// Both are lists of named texts, and a name that is zero ends them. The driver looks for that zero beyond the message and
// beyond all bytes there are, for ever, and no timer of the process would run any more.

const error = 69
const notice = 78
const headerBytes = 5
/** PostgreSQL itself sends no error that is nearly as long. */
const longestBytes = 1_048_576

export class ErrorsEnd {
  /** The beginning of a message whose header, or whose whole, is still to come. */
  #begun: Buffer = Buffer.alloc(0)
  /** Of another message, what is still to come. */
  #skipBytes = 0

  /** Throws at the bytes that complete such a message. */
  check(bytes: Buffer): void {
    const skipped = Math.min(this.#skipBytes, bytes.length)
    this.#skipBytes -= skipped
    const news = bytes.subarray(skipped)
    let rest = this.#begun.length === 0 ? news : Buffer.concat([this.#begun, news])
    while (rest.length >= headerBytes) {
      const size = 1 + rest.readUInt32BE(1)
      const isListed = rest[0] === error || rest[0] === notice
      if (isListed && size > longestBytes) throw new RangeError('The database sent an error that is too long.')
      if (isListed && size > rest.length) break
      if (isListed && !hasEnd(rest.subarray(headerBytes, size))) {
        throw new RangeError('The database sent an error without an end.')
      }
      this.#skipBytes = Math.max(0, size - rest.length)
      rest = rest.subarray(size)
    }
    this.#begun = rest
  }
}

function hasEnd(list: Buffer): boolean {
  for (let at = 0; at < list.length; ) {
    if (list[at] === 0) return true
    const end = list.indexOf(0, at + 1)
    if (end < 0) return false
    at = end + 1
  }
  return false
}
