// Durations and sizes as people write them, and back again.
//
// A number without a unit is refused: nobody can tell from `wait: 10` whether it means seconds or minutes.

const durations: readonly (readonly [string, number])[] = [
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]
const sizes: readonly (readonly [string, number])[] = [
  ['B', 1],
  ['KiB', 1_024],
  ['MiB', 1_048_576],
  ['GiB', 1_073_741_824],
]

export const durationPattern = '^[0-9]{1,12}(ms|s|m|h|d)$'
export const sizePattern = '^[0-9]{1,12}(B|KiB|MiB|GiB)$'

/** Milliseconds; undefined for what is no duration. */
export function readDuration(text: string): number | undefined {
  return readUnits(text, durationPattern, durations)
}

/** Bytes; undefined for what is no size. */
export function readSize(text: string): number | undefined {
  return readUnits(text, sizePattern, sizes)
}

export function showDuration(ms: number): string {
  return showUnits(ms, durations)
}

export function showSize(bytes: number): string {
  return showUnits(bytes, sizes)
}

/** What someone who wrote this duration probably meant: `10 min` is `10m`, `1 hour` is `1h`. */
export function guessDuration(text: string): string | undefined {
  const words = { second: 's', sec: 's', minute: 'm', min: 'm', hour: 'h', hr: 'h', day: 'd', milli: 'ms' }
  return guess(text, words, (guessed) => readDuration(guessed) !== undefined)
}

/** `8 kb` and `8K` are `8KiB`: whoever writes a limit means powers of two. */
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

/** In the largest unit that says it exactly. */
function showUnits(value: number, units: readonly (readonly [string, number])[]): string {
  const [name, factor] = units.findLast(([, one]) => value >= one && value % one === 0) ?? units[0] ?? ['', 1]
  return `${value / factor}${name}`
}
