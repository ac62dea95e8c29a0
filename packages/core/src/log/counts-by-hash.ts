// A number for each of many hashes, in typed arrays: a Map holds at most 16,777,216 keys, and a log may have more asks and notes.
//
// Open addressing; a slot has the first 16 bytes of its hash and a number above 0. It takes 20 bytes per slot, and at least a third of
// the slots are empty.

const wordsPerHash = 4
const startSlots = 1_024

export class CountsByHash {
  #hashes = new Uint32Array(startSlots * wordsPerHash)
  #counts = new Uint32Array(startSlots)
  #size = 0

  get size(): number {
    return this.#size
  }

  /** 0 for an unknown hash. @param hash at least 16 bytes of a cryptographic hash */
  get(hash: Uint8Array): number {
    return this.#counts[this.#slotOf(word(hash, 0), word(hash, 1), word(hash, 2), word(hash, 3))] ?? 0
  }

  /** @param count above 0 and below 2^32 */
  set(hash: Uint8Array, count: number): void {
    if (this.#size * 3 >= this.#counts.length * 2) this.#grow()
    this.#put(word(hash, 0), word(hash, 1), word(hash, 2), word(hash, 3), count)
  }

  #put(a: number, b: number, c: number, d: number, count: number): void {
    const slot = this.#slotOf(a, b, c, d)
    if (this.#counts[slot] === 0) this.#size += 1
    const at = slot * wordsPerHash
    this.#hashes[at] = a
    this.#hashes[at + 1] = b
    this.#hashes[at + 2] = c
    this.#hashes[at + 3] = d
    this.#counts[slot] = count
  }

  /** The slot of this hash, or the empty one where it belongs. */
  #slotOf(a: number, b: number, c: number, d: number): number {
    const hashes = this.#hashes
    const counts = this.#counts
    const mask = counts.length - 1
    for (let slot = (a & mask) >>> 0; ; slot = ((slot + 1) & mask) >>> 0) {
      if (counts[slot] === 0) return slot
      const at = slot * wordsPerHash
      if (hashes[at] === a && hashes[at + 1] === b && hashes[at + 2] === c && hashes[at + 3] === d) return slot
    }
  }

  #grow(): void {
    const [hashes, counts] = [this.#hashes, this.#counts]
    this.#hashes = new Uint32Array(hashes.length * 2)
    this.#counts = new Uint32Array(counts.length * 2)
    this.#size = 0
    for (let slot = 0; slot < counts.length; slot++) {
      const at = slot * wordsPerHash
      const count = counts[slot] ?? 0
      if (count > 0) this.#put(hashes[at] ?? 0, hashes[at + 1] ?? 0, hashes[at + 2] ?? 0, hashes[at + 3] ?? 0, count)
    }
  }
}

function word(hash: Uint8Array, index: number): number {
  const at = index * 4
  const high = ((hash[at] ?? 0) << 24) | ((hash[at + 1] ?? 0) << 16)
  return (high | ((hash[at + 2] ?? 0) << 8) | (hash[at + 3] ?? 0)) >>> 0
}
