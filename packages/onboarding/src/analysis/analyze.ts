// The analysis of a repository: what is there, what is wrong with it, and what kind of repository that makes it.

import { type Agent, readersOf } from '../files/agents.ts'
import type { Repository } from '../files/discover.ts'
import type { InstructionKind } from '../files/kinds.ts'
import { onboardingLimits } from '../limits.ts'
import { unreadText } from '../text/findings.ts'
import { contradictionsIn } from './contradictions.ts'
import { duplicatesIn } from './duplicates.ts'
import { type Finding, type NamedFinding, named } from './finding.ts'
import { sectionsOf } from './markdown.ts'
import { differencesIn } from './readers.ts'
import { deadReferencesIn } from './references.ts'
import { type ReadFile, readableFiles, statementsOf } from './statements.ts'

/**
 * clean: there are no instruction files. structured: they have headings, and nothing is wrong with them. unstructured:
 * nothing is wrong, but there are no headings. messy: something is wrong.
 */
export type Pattern = 'clean' | 'structured' | 'unstructured' | 'messy'

export interface AnalysedFile {
  readonly path: string
  readonly kind: InstructionKind
  readonly readBy: readonly Agent[]
  readonly lines: number
  /** For a link: what it leads to. For what was not read: why. */
  readonly note?: string
}

export interface Analysis {
  readonly pattern: Pattern
  readonly files: readonly AnalysedFile[]
  readonly findings: readonly NamedFinding[]
  /** What was not read. */
  readonly unseen: readonly string[]
}

export function analyze(repository: Repository): Analysis {
  const files = readableFiles(repository.files)
  const statements = statementsOf(files)
  const findings = named([
    ...contradictionsIn(statements),
    ...duplicatesIn(files, statements),
    ...deadReferencesIn(repository, files),
    ...differencesIn(repository, files),
    ...unreadable(repository),
  ])
  const unseen = [...repository.unseen]
  if (findings.length > onboardingLimits.findings) {
    unseen.push(unreadText.tooManyFindings(findings.length, onboardingLimits.findings))
  }
  return {
    pattern: patternOf(repository, files, findings),
    files: repository.files.map(analysed),
    findings: findings.slice(0, onboardingLimits.findings),
    unseen,
  }
}

function unreadable({ files }: Repository): Finding[] {
  return files.flatMap(({ path, body }): Finding[] => {
    if (body.is !== 'closed') return []
    const message = unreadText.file(path, body.why)
    return [{ kind: 'cannot-read', weight: 'problem', message, places: [{ path, line: body.line }] }]
  })
}

function patternOf({ files: all }: Repository, files: readonly ReadFile[], findings: readonly Finding[]): Pattern {
  if (all.length === 0) return 'clean'
  if (findings.some(({ weight }) => weight === 'problem')) return 'messy'
  const hasHeadings = files.some(({ document }) => sectionsOf(document).some(({ level }) => level >= 1))
  return hasHeadings ? 'structured' : 'unstructured'
}

function analysed({ path, kind, body }: Repository['files'][number]): AnalysedFile {
  const base = { path, kind, readBy: readersOf(kind) }
  switch (body.is) {
    case 'text':
      return { ...base, lines: body.read.document.lines.length }
    case 'link':
      return { ...base, lines: 0, note: unreadText.link(body.to) }
    case 'stray':
    case 'closed':
      return { ...base, lines: 0, note: body.why }
  }
}
