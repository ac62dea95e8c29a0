// Turns the word tables of this folder into regular expressions over text that words.ts has prepared.
//
// Entries are separated by bars or line ends. A star means any further letters: `парол*` is a stem, `*passwort*` is
// found inside compounds. Without a star the whole word must match, with or without a plural s. Small words may stand
// between two words (`clé d'API`), and two words may be written as one (`apikey`). Entries are folded as the text is, so
// accents and case do not matter. Every pattern is made of fixed words and bounded gaps, so backtracking is bounded.

import { smallWords } from './secret-context.ts'
import { foldWords } from './words.ts'

const small = readEntries(smallWords).join('|')
const restOfWord = '\\p{L}{0,12}'
const gap = `(?: (?:(?:${small}) ){0,2})?`

/** Finds every entry anywhere in the text; with `singular`, plurals do not match. */
export function everyEntry(table: string, form?: 'singular'): RegExp {
  return new RegExp(alternatives(table, form), 'gu')
}

/** Like `matchAll`, which recompiles the pattern for every text; these patterns are long and the texts are short. */
export function* matchesOf(pattern: RegExp, text: string): Generator<RegExpExecArray> {
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) yield match
}

/** Matches when an entry is anywhere in the text. */
export function anywhere(table: string): RegExp {
  return new RegExp(alternatives(table), 'u')
}

/** Matches when the text begins with an entry, after the rest of the previous word (`s` or another short ending). */
export function atStart(table: string): RegExp {
  const patterns = byLength(table).map((entry) => patternOf(entry, 's?'))
  return new RegExp(`^\\p{L}{0,2} ?(?:${patterns.join('|')})`, 'u')
}

/** Matches when the text ends with an entry, small words aside. */
export function atEnd(table: string): RegExp {
  return new RegExp(`(?:${alternatives(table)})${restOfWord} (?:(?:${small}) ){0,4}$`, 'u')
}

/** Two groups: the first is tried only at the start of words, which saves most of the work. */
function alternatives(table: string, form?: 'singular'): string {
  const entries = byLength(table)
  const patterns = (inWords: boolean) =>
    entries
      .filter((entry) => entry.startsWith('*') === inWords)
      .map((entry) => patternOf(entry, form === 'singular' ? '' : 's?'))
      .join('|')
  const [atWords, inWords] = [patterns(false), patterns(true)]
  return inWords === '' ? `(?<= )(?:${atWords})` : `(?<= )(?:${atWords})|${inWords}`
}

function patternOf(entry: string, plural: string): string {
  const words = entry.split(' ')
  const last = words.length - 1
  const pattern = words.map((word, at) => {
    // The rest after a final stem is left for the caller: it may make `password` a `password policy`.
    const rest = word.endsWith('*') && at < last ? restOfWord : ''
    return foldWords(word).trim().replaceAll(' ', gap) + rest
  })
  return pattern.join(gap) + (entry.endsWith('*') ? '' : `${plural}(?= )`)
}

/** The longest first, because the first alternative that fits is taken: `pin code` before `pin`. */
function byLength(table: string): string[] {
  return readEntries(table).sort((one, other) => other.length - one.length)
}

function readEntries(table: string): string[] {
  return table
    .split(/[|\n]/)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}
