// What the analysis found: one thing that is wrong or worth knowing, with the places to look at.

export type FindingKind = 'duplicate' | 'contradiction' | 'dead-reference' | 'read-differently' | 'cannot-read'

export interface SourceLocation {
  readonly path: string
  /** The first line is 1. */
  readonly line: number
  /** The last line, when there are several. */
  readonly endLine?: number
}

export interface Finding {
  readonly kind: FindingKind
  /** A problem makes a repository messy; a note is only reported. */
  readonly weight: 'problem' | 'note'
  readonly message: string
  readonly places: readonly SourceLocation[]
}

/** With the id by which `keep` and the questions refer to it: C1, D2 … */
export interface NamedFinding extends Finding {
  readonly id: string
}

const prefixes: Readonly<Record<FindingKind, string>> = {
  contradiction: 'C',
  duplicate: 'D',
  'dead-reference': 'R',
  'read-differently': 'A',
  'cannot-read': 'X',
}

const findingKinds = Object.keys(prefixes) as readonly FindingKind[]

export function named(findings: readonly Finding[]): NamedFinding[] {
  const counts = new Map<FindingKind, number>()
  const ordered = findingKinds.flatMap((kind) => findings.filter((finding) => finding.kind === kind))
  return ordered.map((finding) => {
    const count = (counts.get(finding.kind) ?? 0) + 1
    counts.set(finding.kind, count)
    return { id: `${prefixes[finding.kind]}${count}`, ...finding }
  })
}

export function locationText({ path, line, endLine }: SourceLocation): string {
  return endLine === undefined || endLine === line ? `${path}:${line}` : `${path}:${line}-${endLine}`
}
