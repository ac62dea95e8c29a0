// "Did you mean …": the known name that is closest to a misspelt one.

/** Undefined when no name is close enough to suggest. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = name.toLowerCase().replaceAll('-', '_')
  const most = Math.max(1, Math.floor(plain.length / 3))
  let best: { readonly name: string; readonly distance: number } | undefined
  for (const candidate of known) {
    const distance = distanceBetween(plain, candidate.toLowerCase(), most)
    if (distance <= most && (best === undefined || distance < best.distance)) best = { name: candidate, distance }
  }
  return best?.name
}

/** Edit distance with swaps of neighbours (optimal string alignment); `most + 1` when the lengths differ by more. */
function distanceBetween(from: string, to: string, most: number): number {
  if (Math.abs(from.length - to.length) > most) return most + 1
  let before: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1]
      let least = Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + (isSame ? 0 : 1))
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      if (isSwap) least = Math.min(least, (before[j - 2] ?? 0) + 1)
      next.push(least)
    }
    before = row
    row = next
  }
  return row[to.length] ?? most + 1
}
