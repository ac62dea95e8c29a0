// The analysis and the plan as text.

import type { Analysis } from './analysis/analyze.ts'
import { locationText, type NamedFinding } from './analysis/finding.ts'
import { onboardingLimits } from './limits.ts'
import type { Edit, Plan } from './plan/plan.ts'
import { type Counted, patternText, reportText as words } from './text/plan.ts'

/** The result of the analysis in one sentence. */
export function patternSentence({ pattern, files, findings }: Analysis): string {
  const problems = findings.filter(({ weight }) => weight === 'problem').length
  return patternText[pattern](counted(files.length, 'instructionFile'), problems, findings.length - problems)
}

export function analysisText(analysis: Analysis): string {
  const { files, findings, unseen } = analysis
  const list = files.map(
    ({ path, readBy, lines, note }) => `  ${words.readBy(path, note ?? counted(lines, 'line'), readBy.join(', '))}`,
  )
  return paragraphs([
    patternSentence(analysis),
    list.length === 0 ? '' : `${counted(files.length, 'instructionFile')}:\n${list.join('\n')}`,
    findingsText(findings),
    unseen.length === 0 ? '' : `${words.notRead}\n${unseen.map((line) => `  ${line}`).join('\n')}`,
  ])
}

function findingsText(findings: readonly NamedFinding[]): string {
  if (findings.length === 0) return ''
  const lines = findings.map((finding) => `  ${finding.id} ${finding.message}${placesInWords(finding)}`)
  return `${words.found}\n${lines.join('\n')}`
}

/** For the person who approves: without ids, which only a decision about a contradiction needs. */
export function findingsForPerson(findings: readonly NamedFinding[]): string {
  if (findings.length === 0) return ''
  const lines = findings.map((finding) => {
    const { kind, id, message } = finding
    return `  ${kind === 'contradiction' ? `${id}: ` : ''}${withLines(message, linesInWords(finding))}`
  })
  return `${words.found}\n${lines.join('\n')}`
}

/** Before the full stop. */
function withLines(message: string, lines: string): string {
  return message.endsWith('.') ? `${message.slice(0, -1)}${lines}.` : message + lines
}

/** How agents read a file is about the file and not about a line of it. */
function linesInWords({ kind, places, message }: NamedFinding): string {
  if (kind === 'read-differently') return ''
  const lines = places.filter((place) => !message.includes(locationText(place)))
  return lines.length === 0 ? '' : ` (${lines.map(({ path, line }) => words.lineOf(path, line)).join('; ')})`
}

function placesInWords({ places, message }: NamedFinding): string {
  const names = places.map(locationText).filter((name) => !message.includes(name))
  return names.length === 0 ? '' : ` [${names.join(', ')}]`
}

export function planText({ edits, left, decided }: Plan): string {
  if (edits.length === 0) {
    return paragraphs([words.nothingToChange, leftInWords(left)])
  }
  return paragraphs([
    `${words.wouldChange(counted(edits.length, 'file'))}\n${editsText(edits)}`,
    decidedInWords(decided),
    leftInWords(left),
  ])
}

function decidedInWords(decided: Plan['decided']): string {
  const lines = Object.entries(decided).map(([id, place]) => `  ${words.kept(id, place)}`)
  return lines.length === 0 ? '' : `${words.decided}\n${lines.join('\n')}`
}

/** What happens to undecided contradictions. */
export function undecidedText(findings: readonly NamedFinding[], decided: Plan['decided']): string {
  const open = findings.filter(({ kind, id }) => kind === 'contradiction' && !Object.hasOwn(decided, id))
  if (open.length === 0) return ''
  return words.undecided(open.map(({ id }) => id).join(', '))
}

export function editsText(edits: readonly Edit[]): string {
  const lines = edits.map(
    ({ path, before, after, why }) =>
      `  ${path} (${words.change[before === null ? 'new' : after === null ? 'removed' : 'changed']}): ${why}`,
  )
  return lines.join('\n')
}

function leftInWords(left: Plan['left']): string {
  if (left.length === 0) return ''
  return `${words.unchanged}\n${left.map(({ path, why }) => `  ${path}: ${why}`).join('\n')}`
}

/** The whole diff, for a person who decides about it. */
export function wholeDiffText(diff: string): string {
  return `${words.diff}\n\n${diff.replaceAll('\r\n', '\n').replace(/\n$/, '')}`
}

/** The part of a diff that fits, cut between lines, and where the rest is. */
export function shortDiffText(diff: string, where: string): string {
  const most = onboardingLimits.diffCharsShown
  const plain = diff.replaceAll('\r\n', '\n')
  if (plain.length <= most) return wholeDiffText(diff)
  const cut = plain.slice(0, plain.lastIndexOf('\n', most))
  const missing = plain.slice(cut.length).split('\n').length - 1
  return `${words.cutDiff}\n\n${cut}\n\n${words.diffRest(missing, where)}`
}

export function shortDigest(digest: string): string {
  return digest.slice('sha256:'.length, 'sha256:'.length + 12)
}

export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

export function counted(count: number, thing: Counted): string {
  return words.counted(count, thing)
}

/** In UTC, because it may be read in another time zone. */
export function utcMinute(iso: string): string {
  return words.utc(iso.slice(0, 10), iso.slice(11, 16))
}
