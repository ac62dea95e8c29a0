// The texts of onboarding: the analysis, the plan, and the questions about them.

import type { Analysis, Pattern } from './analysis/analyze.ts'
import { locationText, type NamedFinding } from './analysis/finding.ts'
import { onboardingLimits } from './limits.ts'
import type { Edit, Plan } from './plan/plan.ts'

const patternWords: Readonly<Record<Pattern, string>> = {
  clean: 'clean: there are no instruction files',
  structured: 'structured: the files have headings, and nothing is wrong with them',
  unstructured: 'unstructured: nothing is wrong, but the files have no headings',
  messy: 'messy: its instruction files have problems',
}

export function analysisText({ pattern, files, findings, unseen }: Analysis): string {
  const list = files.map(
    ({ path, readBy, lines, note }) => `  ${path} (${note ?? counted(lines, 'line')}; read by ${readBy.join(', ')})`,
  )
  return paragraphs([
    `This repository is ${patternWords[pattern]}.`,
    list.length === 0 ? '' : `${counted(files.length, 'instruction file')}:\n${list.join('\n')}`,
    findingsText(findings),
    unseen.length === 0 ? '' : `Not read:\n${unseen.map((line) => `  ${line}`).join('\n')}`,
  ])
}

export function findingsText(findings: readonly NamedFinding[]): string {
  if (findings.length === 0) return ''
  const lines = findings.map((finding) => `  ${finding.id} ${finding.message}${placesInWords(finding)}`)
  return `Found:\n${lines.join('\n')}`
}

function placesInWords({ places, message }: NamedFinding): string {
  const names = places.map(locationText).filter((name) => !message.includes(name))
  return names.length === 0 ? '' : ` [${names.join(', ')}]`
}

export function planText({ edits, left, decided }: Plan): string {
  if (edits.length === 0) {
    return paragraphs(['Nothing needs to change: there is nothing to move.', leftInWords(left)])
  }
  return paragraphs([
    `${counted(edits.length, 'file')} would change:\n${editsText(edits)}`,
    decidedInWords(decided),
    leftInWords(left),
  ])
}

function decidedInWords(decided: Plan['decided']): string {
  const lines = Object.entries(decided).map(([id, place]) => `  ${id}: ${place} is kept, the other line is removed`)
  return lines.length === 0 ? '' : `Decided:\n${lines.join('\n')}`
}

/** What happens to undecided contradictions. */
export function undecidedText(findings: readonly NamedFinding[], decided: Plan['decided']): string {
  const open = findings.filter(({ kind, id }) => kind === 'contradiction' && !Object.hasOwn(decided, id))
  if (open.length === 0) return ''
  const ids = open.map(({ id }) => id).join(', ')
  return `Not decided: ${ids}. Those lines stay in their files, and an agent that reads both files reads both lines.`
}

export function editsText(edits: readonly Edit[]): string {
  const lines = edits.map(
    ({ path, before, after, why }) =>
      `  ${path} (${before === null ? 'new' : after === null ? 'removed' : 'changed'}): ${why}`,
  )
  return lines.join('\n')
}

function leftInWords(left: Plan['left']): string {
  if (left.length === 0) return ''
  return `Left alone:\n${left.map(({ path, why }) => `  ${path}: ${why}`).join('\n')}`
}

/** The whole diff, for a person who decides about it. */
export function wholeDiffText(diff: string): string {
  return `The change, line by line:\n\n${diff.replaceAll('\r\n', '\n').replace(/\n$/, '')}`
}

/** The part of a diff that fits, cut between lines, and where the rest is. */
export function shortDiffText(diff: string, where: string): string {
  const most = onboardingLimits.diffCharsShown
  const plain = diff.replaceAll('\r\n', '\n')
  if (plain.length <= most) return wholeDiffText(diff)
  const cut = plain.slice(0, plain.lastIndexOf('\n', most))
  const missing = plain.slice(cut.length).split('\n').length - 1
  return `The change, line by line, as far as it fits here:\n\n${cut}\n\n${missing} more lines are not shown here. All of it is in ${where}.`
}

export function shortDigest(digest: string): string {
  return digest.slice('sha256:'.length, 'sha256:'.length + 12)
}

export function paragraphs(parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('\n\n')
}

export function counted(count: number, thing: string): string {
  return `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`
}

/** In UTC, because it may be read in another time zone. */
export function utcMinute(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}
