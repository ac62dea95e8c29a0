// What the analysis found: one thing that is wrong or worth knowing, with the places to look at.

export type FindingKind = 'duplicate' | 'contradiction' | 'dead-reference' | 'read-differently' | 'cannot-read'

export interface Place {
  readonly path: string
  /** From 1. */
  readonly line: number
  /** The last line, when there are several. */
  readonly endLine?: number
}

export interface Finding {
  readonly kind: FindingKind
  /** A problem makes a repository messy; a note is only said. */
  readonly weight: 'problem' | 'note'
  readonly message: string
  readonly places: readonly Place[]
}

/** With the name by which `keep` and the asks refer to it: C1, D2 … */
export interface NamedFinding extends Finding {
  readonly id: string
}

const letters: Readonly<Record<FindingKind, string>> = {
  contradiction: 'C',
  duplicate: 'D',
  'dead-reference': 'R',
  'read-differently': 'A',
  'cannot-read': 'X',
}

const findingKinds = Object.keys(letters) as readonly FindingKind[]

export function named(findings: readonly Finding[]): NamedFinding[] {
  const counts = new Map<FindingKind, number>()
  const ordered = findingKinds.flatMap((kind) => findings.filter((finding) => finding.kind === kind))
  return ordered.map((finding) => {
    const count = (counts.get(finding.kind) ?? 0) + 1
    counts.set(finding.kind, count)
    return { id: `${letters[finding.kind]}${count}`, ...finding }
  })
}

export function placeInWords({ path, line, endLine }: Place): string {
  return endLine === undefined || endLine === line ? `${path}:${line}` : `${path}:${line}-${endLine}`
}
