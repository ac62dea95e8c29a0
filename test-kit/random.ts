// A small seeded random generator (mulberry32) for repeatable proofs.
//
// Fast and evenly distributed; the same seed always gives the same sequence. Not for secrets.

export interface SeededRandom {
  /** A number in [0, 1). */
  next(): number
  /** A whole number in [0, maxExclusive). */
  int(maxExclusive: number): number
  pick<T>(list: readonly T[]): T
  bytes(count: number): Uint8Array
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0

  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (maxExclusive: number) => Math.floor(next() * maxExclusive)

  return {
    next,
    int,
    pick: (list) => {
      if (list.length === 0) throw new RangeError('Cannot pick from an empty list.')
      return list[int(list.length)] as (typeof list)[number]
    },
    bytes: (count) => Uint8Array.from({ length: count }, () => int(256)),
  }
}
