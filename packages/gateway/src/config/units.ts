// Parses and formats durations and sizes.
//
// A number without a unit is refused: `wait: 10` could mean seconds or minutes.

export const minute = 60_000
export const hour = 60 * minute
export const day = 24 * hour
const year = 365 * day

const durations: readonly (readonly [string, number])[] = [
  ['ms', 1],
  ['s', 1_000],
  ['m', minute],
  ['h', hour],
  ['d', day],
  ['y', year],
]
const sizes: readonly (readonly [string, number])[] = [
  ['B', 1],
  ['KiB', 1_024],
  ['MiB', 1_048_576],
  ['GiB', 1_073_741_824],
]

export const durationPattern = '^[0-9]{1,12}(ms|s|m|h|d|y)$'
export const sizePattern = '^[0-9]{1,12}(B|KiB|MiB|GiB)$'

/** Milliseconds; undefined for an invalid duration. */
export function readDuration(text: string): number | undefined {
  return readUnits(text, durationPattern, durations)
}

/** Bytes; undefined for an invalid size. */
export function readSize(text: string): number | undefined {
  return readUnits(text, sizePattern, sizes)
}

export function showDuration(ms: number): string {
  return showUnits(ms, durations)
}

export function showSize(bytes: number): string {
  return showUnits(bytes, sizes)
}

/** A suggestion for an invalid duration: `10m` for `10 min`, `1h` for `1 hour`. */
export function guessDuration(text: string): string | undefined {
  const words = {
    second: 's',
    sec: 's',
    minute: 'm',
    min: 'm',
    hour: 'h',
    hr: 'h',
    day: 'd',
    year: 'y',
    yr: 'y',
    milli: 'ms',
  }
  return guess(text, words, (guessed) => readDuration(guessed) !== undefined)
}

/** A suggestion for an invalid size: `8KiB` for `8 kb` and `8K`, because limits are usually powers of two. */
export function guessSize(text: string): string | undefined {
  const words = { k: 'KiB', m: 'MiB', g: 'GiB', b: 'B' }
  return guess(text, words, (guessed) => readSize(guessed) !== undefined)
}

function guess(
  text: string,
  words: Readonly<Record<string, string>>,
  isRight: (guessed: string) => boolean,
): string | undefined {
  const [, number, unit = ''] = /^\s*([0-9]{1,12})\s*([a-z]*)\s*$/i.exec(text) ?? []
  if (number === undefined) return undefined
  const exact = `${number}${unit.toLowerCase()}`
  if (isRight(exact)) return exact
  const begins = Object.entries(words).find(([word]) => unit.toLowerCase().startsWith(word))
  const guessed = `${number}${begins?.[1] ?? ''}`
  return isRight(guessed) ? guessed : undefined
}

function readUnits(text: string, pattern: string, units: readonly (readonly [string, number])[]): number | undefined {
  if (!new RegExp(pattern).test(text)) return undefined
  const [name, factor] =
    units.findLast(([unit]) => text.endsWith(unit) && /^[0-9]+$/.test(text.slice(0, -unit.length))) ?? []
  if (name === undefined || factor === undefined) return undefined
  const value = Number(text.slice(0, -name.length)) * factor
  return Number.isSafeInteger(value) ? value : undefined
}

/** In the largest unit that is exact. */
function showUnits(value: number, units: readonly (readonly [string, number])[]): string {
  const [name, factor] = units.findLast(([, one]) => value >= one && value % one === 0) ?? units[0] ?? ['', 1]
  return `${value / factor}${name}`
}
