// Reads a coverage report in Istanbul's format: how much of each file ran, and the places that did not.

export interface Count {
  readonly covered: number
  readonly total: number
}

/** Code that no test ran, by the text of its line, so that it is recognised after other lines have changed. */
export interface Uncovered {
  readonly file: string
  readonly line: string
}

export interface FileCoverage {
  readonly file: string
  readonly lines: Count
  readonly branches: Count
  readonly uncovered: readonly Uncovered[]
}

/** The part of Istanbul's format that is read here. */
export interface IstanbulFile {
  readonly path: string
  readonly statementMap: Readonly<Record<string, Range>>
  readonly s: Readonly<Record<string, number>>
  readonly branchMap: Readonly<Record<string, { readonly loc: Range; readonly locations: readonly Partial<Range>[] }>>
  readonly b: Readonly<Record<string, readonly number[]>>
}

interface Range {
  /** Lines are counted from 1. */
  readonly start: { readonly line?: number | undefined }
}

/** A line is covered if a statement that begins on it ran; each way of a branch counts by itself. */
export function fileCoverage(file: string, source: string, report: IstanbulFile): FileCoverage {
  const runs = new Map<number, number>()
  for (const [id, { start }] of Object.entries(report.statementMap)) {
    const line = start.line ?? 0
    runs.set(line, Math.max(runs.get(line) ?? 0, report.s[id] ?? 0))
  }
  const missed = new Set([...runs].filter(([, times]) => times === 0).map(([line]) => line))
  const lines = { covered: runs.size - missed.size, total: runs.size }

  const ways = Object.entries(report.branchMap).flatMap(([id, { loc, locations }]) =>
    locations.map(({ start }, way) => ({ line: start?.line ?? loc.start.line ?? 0, runs: report.b[id]?.[way] ?? 0 })),
  )
  for (const way of ways) if (way.runs === 0) missed.add(way.line)
  const branches = { covered: ways.filter((way) => way.runs > 0).length, total: ways.length }

  const texts = source.split('\n')
  const uncovered = [...missed].sort((a, b) => a - b).map((line) => ({ file, line: texts[line - 1]?.trim() ?? '' }))
  return { file, lines, branches, uncovered }
}

export function sum(counts: readonly Count[]): Count {
  return {
    covered: counts.reduce((all, { covered }) => all + covered, 0),
    total: counts.reduce((all, { total }) => all + total, 0),
  }
}

export function share({ covered, total }: Count): number {
  return total === 0 ? 1 : covered / total
}
