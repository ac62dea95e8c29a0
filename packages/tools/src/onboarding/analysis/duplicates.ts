// Text that says the same thing twice to whoever reads it.
//
// Short sentences repeat by themselves ("Run the tests."), so only longer ones count; and in one file the same sentence
// under two headings may be meant for two things.

import type { Finding, Place } from './finding.ts'
import { sectionsOf } from './markdown.ts'
import type { ReadFile, Statement } from './statements.ts'

const fewestWords = 5
const fewestChars = 24
/** From here on a sentence is no turn of phrase, wherever it stands. */
const unmistakableWords = 9
const placesShown = 8

export function duplicatesIn(files: readonly ReadFile[], statements: readonly Statement[]): Finding[] {
  return [...betweenFiles(statements), ...withinFiles(statements), ...doubledHeadings(files)]
}

function isTelling({ words, isCommand }: Statement): boolean {
  return !isCommand && words.length >= fewestChars && countWords(words) >= fewestWords
}

function countWords(words: string): number {
  return words.split(' ').length
}

/** Statements with the same words for the same thing, in the order in which they stand. */
function groups(statements: readonly Statement[]): Statement[][] {
  const byWords = new Map<string, Statement[]>()
  for (const statement of statements.filter(isTelling)) {
    const key = `${statement.scope}\n${statement.words}`
    const group = byWords.get(key)
    if (group === undefined) byWords.set(key, [statement])
    else group.push(statement)
  }
  return [...byWords.values()].filter((group) => group.length > 1)
}

function betweenFiles(statements: readonly Statement[]): Finding[] {
  const pairs = new Map<string, { first: Place; other: Place }[]>()
  for (const group of groups(statements)) {
    const [first, ...others] = firstInEachFile(group)
    if (first === undefined) continue
    for (const other of others) {
      const key = `${first.path}\n${other.path}`
      pairs.set(key, [...(pairs.get(key) ?? []), { first: placeOf(first), other: placeOf(other) }])
    }
  }
  return [...pairs.values()].map((found): Finding => {
    const [{ first, other }] = found as [{ first: Place; other: Place }]
    const count = found.length === 1 ? 'One statement is' : `${found.length} statements are`
    const places = found.slice(0, placesShown / 2).flatMap((pair) => [pair.first, pair.other])
    const rest = found.length > placesShown / 2 ? ', of which the first are named here' : ''
    return {
      kind: 'duplicate',
      weight: 'problem',
      message: `${count} in both ${first.path} and ${other.path}${rest}; one copy will be forgotten when the other changes.`,
      places,
    }
  })
}

function firstInEachFile(group: readonly Statement[]): Statement[] {
  return group.filter((statement, index) => group.findIndex(({ path }) => path === statement.path) === index)
}

function withinFiles(statements: readonly Statement[]): Finding[] {
  return groups(statements).flatMap((group) =>
    firstInEachFile(group).flatMap((first) => {
      const again = group.filter(
        ({ path, line, under }) =>
          path === first.path &&
          line !== first.line &&
          (under === first.under || countWords(first.words) >= unmistakableWords),
      )
      if (again.length === 0) return []
      const places = [first, ...again].slice(0, placesShown).map(placeOf)
      const message = `${first.path} says the same thing ${again.length + 1} times.`
      return [{ kind: 'duplicate', weight: 'problem', message, places } as const]
    }),
  )
}

/** The same heading at the same place in the outline. "Example" under two different headings is no such thing. */
function doubledHeadings(files: readonly ReadFile[]): Finding[] {
  return files.flatMap(({ file, document }) => {
    const seen = new Map<string, Place>()
    return sectionsOf(document).flatMap((section): Finding[] => {
      if (section.level === 0 || section.level > 3 || section.path.length === 0 || section.title === '') return []
      const key = section.path.join('\n')
      const place = { path: file.path, line: section.line }
      const first = seen.get(key)
      if (first === undefined) {
        seen.set(key, place)
        return []
      }
      const message = `${file.path} has the heading “${section.title}” twice; which of the two counts is anybody's guess.`
      return [{ kind: 'duplicate', weight: 'problem', message, places: [first, place] }]
    })
  })
}

function placeOf({ path, line }: Statement): Place {
  return { path, line }
}
