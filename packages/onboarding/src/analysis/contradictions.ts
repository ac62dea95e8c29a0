// Statements that cannot both be followed: two choices where there is one, or "always" against "never".
//
// Only statements with the same scope are compared. The file of a folder, or a rule for some files, may differ from the
// rules for the whole repository.

import { contradictionText } from '../text/findings.ts'
import type { Finding } from './finding.ts'
import type { Statement } from './statements.ts'
import {
  headingForbids,
  headingQualifies,
  isExample,
  isQualified,
  type Topic,
  topics,
  turnedRound,
  turnsRound,
} from './topics.ts'

export function contradictionsIn(statements: readonly Statement[]): Finding[] {
  const rules = statements.filter(({ text }) => !isExample.test(text))
  return withoutRepeats([...topics.flatMap((topic) => choicesOf(topic, rules)), ...opposites(rules)])
}

interface Choice {
  readonly statement: Statement
  readonly choice: string
  readonly about: string
}

function choicesOf(topic: Topic, statements: readonly Statement[]): Finding[] {
  const chosen = statements.flatMap((statement) => chosenIn(topic, statement))
  const found: Finding[] = []
  const done = new Set<string>()
  for (const [index, one] of chosen.entries()) {
    for (const other of chosen.slice(index + 1)) {
      if (other.choice === one.choice || !isComparable(one, other)) continue
      const key = [one.choice, other.choice, one.statement.path, other.statement.path, one.about].sort().join('\n')
      if (done.has(key)) continue
      done.add(key)
      found.push({
        kind: 'contradiction',
        weight: 'problem',
        message: contradictionText.choices(
          topic.name,
          one.about,
          quoted(one.statement),
          one.choice,
          quoted(other.statement),
          other.choice,
        ),
        places: [placeOf(one.statement), placeOf(other.statement)],
      })
    }
  }
  return found
}

function isComparable(one: Choice, other: Choice): boolean {
  const a = one.statement
  const b = other.statement
  if (a.scope !== b.scope || one.about !== other.about) return false
  // Two commands are examples, not rules: they contradict only an explicit statement.
  if (a.isCommand && b.isCommand) return false
  return a.under === b.under || !(headingQualifies.test(a.under) || headingQualifies.test(b.under))
}

function chosenIn(topic: Topic, statement: Statement): Choice[] {
  const { text, under } = statement
  if (topic.needs !== undefined && !topic.needs.test(text)) return []
  if (isQualified.test(text) || headingForbids.test(lastOf(under))) return []
  const meant = Object.entries(topic.choices).filter(([, pattern]) => isChosen(text, pattern))
  const [only, ...more] = meant
  if (only === undefined || more.length > 0) return []
  if (topic.about === undefined) return [{ statement, choice: only[0], about: '' }]
  const abouts = [...new Set([...text.matchAll(topic.about)].map(([word]) => singular(word.toLowerCase())))]
  // With several subjects in one sentence it is unclear which of them is meant.
  return abouts.length === 1 ? [{ statement, choice: only[0], about: abouts[0] as string }] : []
}

function isChosen(text: string, pattern: RegExp): boolean {
  const match = pattern.exec(text)
  if (match === null) return false
  const before = text.slice(0, match.index)
  const after = text.slice(match.index + match[0].length)
  const isNegatedItself = /^(?:no|without|omit|drop|never|avoid|don'?t|do not|not)\b/i.test(match[0])
  return isNegatedItself || !(turnsRound.test(before) || turnedRound.test(after))
}

const forbids = /^(?:never|do not|don't|avoid|no|must not|should not|shouldn't|mustn't|not)\b/
const filler =
  /\b(?:always|never|please|use|using|the|a|an|must|should|to|any|we|you|do|don't|not|no|avoid|be|make|sure|ensure|that|shouldn't|mustn't|all|your|prefer)\b/g

/** The same words, once as a rule and once as a ban. */
function opposites(statements: readonly Statement[]): Finding[] {
  const byCore = new Map<string, { statement: Statement; isBan: boolean }[]>()
  for (const statement of statements) {
    if (statement.isCommand || isQualified.test(statement.words)) continue
    const core = statement.words.replace(filler, ' ').replace(/\s+/g, ' ').trim()
    if (core.split(' ').length < 2) continue
    const isBan = forbids.test(statement.words) !== headingForbids.test(lastOf(statement.under))
    const key = `${statement.scope}\n${core}`
    byCore.set(key, [...(byCore.get(key) ?? []), { statement, isBan }])
  }
  return [...byCore.values()].flatMap((group): Finding[] => {
    const rule = group.find(({ isBan }) => !isBan)?.statement
    const ban = group.find(({ isBan }) => isBan)?.statement
    if (rule === undefined || ban === undefined) return []
    if (rule.under !== ban.under && headingQualifies.test(`${rule.under} ${ban.under}`)) return []
    const message = contradictionText.forbidden(quoted(rule), quoted(ban))
    return [{ kind: 'contradiction', weight: 'problem', message, places: [placeOf(rule), placeOf(ban)] }]
  })
}

/** One pair of lines is one finding, however many checks find it. */
function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>()
  return findings.filter(({ places }) => {
    const key = places.map(({ path, line }) => `${path}:${line}`).join(' ')
    if (seen.has(key)) return false
    seen.add(key)
    return true
  })
}

function lastOf(under: string): string {
  return under.split(' > ').at(-1) ?? ''
}

function singular(word: string): string {
  if (word === 'directories' || word === 'directory') return 'folder'
  if (/^file ?names?$/.test(word)) return 'file'
  return word === 'classes' || word === 'branches' ? word.slice(0, -2) : word.replace(/s$/, '')
}

function quoted({ path, line, text }: Statement): string {
  const short = text.length > 90 ? `${text.slice(0, 87)}…` : text
  return contradictionText.statement(short, `${path}:${line}`)
}

function placeOf({ path, line }: Statement): { path: string; line: number } {
  return { path, line }
}
