// Merges recorded runs (one JSON object per line): each run once, the oldest first.

/** @param texts the contents of files; of runs on the same day, those in earlier files come first */
export function mergedRuns(texts: readonly string[]): string {
  const lines = new Set(texts.flatMap((text) => text.split('\n')).filter((line) => line !== ''))
  const dateOf = (line: string): string => JSON.parse(line).date
  return [...lines]
    .sort((one, other) => dateOf(one).localeCompare(dateOf(other)))
    .map((line) => `${line}\n`)
    .join('')
}
