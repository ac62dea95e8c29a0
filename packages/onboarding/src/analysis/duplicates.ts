// Text that an agent would read twice.
//
// Short sentences are often repeated by chance ("Run the tests."), so only longer ones count; and in one file the same
// sentence under two headings may be meant for two things.

import { duplicateText } from '../text/findings.ts'
import type { Finding, SourceLocation } from './finding.ts'
import { sectionsOf } from './markdown.ts'
import type { ReadFile, Statement } from './statements.ts'

const fewestWords = 5
const fewestChars = 24
/** A sentence of this length is not a common phrase, under whichever heading. */
const unmistakableWords = 9
const placesShown = 8

export function duplicatesIn(files: readonly ReadFile[], statements: readonly Statement[]): Finding[] {
  return [...betweenFiles(statements), ...withinFiles(statements), ...doubledHeadings(files)]
}

function isLongEnough({ words, isCommand }: Statement): boolean {
  return !isCommand && words.length >= fewestChars && countWords(words) >= fewestWords
}

function countWords(words: string): number {
  return words.split(' ').length
}

/** Groups of statements with the same words and the same scope, in their original order. */
function groups(statements: readonly Statement[]): Statement[][] {
  const byWords = new Map<string, Statement[]>()
  for (const statement of statements.filter(isLongEnough)) {
    const key = `${statement.scope}\n${statement.words}`
    const group = byWords.get(key)
    if (group === undefined) byWords.set(key, [statement])
    else group.push(statement)
  }
  return [...byWords.values()].filter((group) => group.length > 1)
}

function betweenFiles(statements: readonly Statement[]): Finding[] {
  const pairs = new Map<string, { first: SourceLocation; other: SourceLocation }[]>()
  for (const group of groups(statements)) {
    const [first, ...others] = firstInEachFile(group)
    if (first === undefined) continue
    for (const other of others) {
      const key = `${first.path}\n${other.path}`
      pairs.set(key, [...(pairs.get(key) ?? []), { first: placeOf(first), other: placeOf(other) }])
    }
  }
  return [...pairs.values()].map((found): Finding => {
    const [{ first, other }] = found as [{ first: SourceLocation; other: SourceLocation }]
    const places = found.slice(0, placesShown / 2).flatMap((pair) => [pair.first, pair.other])
    const isCut = found.length > placesShown / 2
    return {
      kind: 'duplicate',
      weight: 'problem',
      message: duplicateText.inBoth(found.length, first.path, other.path, isCut),
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
      const message = duplicateText.repeated(first.path, again.length + 1)
      return [{ kind: 'duplicate', weight: 'problem', message, places } as const]
    }),
  )
}

/** The same heading at the same place in the outline. "Example" under two different headings does not count. */
function doubledHeadings(files: readonly ReadFile[]): Finding[] {
  return files.flatMap(({ file, document }) => {
    const seen = new Map<string, SourceLocation>()
    return sectionsOf(document).flatMap((section): Finding[] => {
      if (section.level === 0 || section.level > 3 || section.path.length === 0 || section.title === '') return []
      const key = section.path.join('\n')
      const place = { path: file.path, line: section.line }
      const first = seen.get(key)
      if (first === undefined) {
        seen.set(key, place)
        return []
      }
      const message = duplicateText.heading(file.path, section.title)
      return [{ kind: 'duplicate', weight: 'problem', message, places: [first, place] }]
    })
  })
}

function placeOf({ path, line }: Statement): SourceLocation {
  return { path, line }
}
