// Reads Stryker's report as a list of mutants that can be recognised after other lines have changed.
import { readFileSync } from 'node:fs'

export interface Mutant {
  readonly file: string
  readonly mutator: string
  /** The line of code in which the mutant starts, without indentation. */
  readonly line: string
  /** The code that was replaced, and what replaced it, each on one line. */
  readonly from: string
  readonly to: string
}

/** `excluded`: the mutant prevented the tests from loading, so Stryker does not count it. */
export type Fate = 'killed' | 'timed-out' | 'survived' | 'excluded'

export interface Judged extends Mutant {
  readonly fate: Fate
}

/** The part of the mutation-testing report schema that is read here. */
export interface StrykerReport {
  readonly files: Readonly<Record<string, StrykerFile>>
}

interface StrykerFile {
  readonly source: string
  readonly mutants: readonly StrykerMutant[]
}

interface StrykerMutant {
  readonly mutatorName: string
  readonly replacement?: string
  readonly status: string
  readonly location: { readonly start: Position; readonly end: Position }
}

interface Position {
  /** From 1. */
  readonly line: number
  /** From 1. */
  readonly column: number
}

const fates: Readonly<Record<string, Fate>> = {
  Killed: 'killed',
  Timeout: 'timed-out',
  Survived: 'survived',
  NoCoverage: 'survived',
  RuntimeError: 'excluded',
  CompileError: 'excluded',
}

export function readReport(path: string): readonly Judged[] {
  return mutantsOf(JSON.parse(readFileSync(path, 'utf8')) as StrykerReport)
}

export function mutantsOf(report: StrykerReport): readonly Judged[] {
  return Object.entries(report.files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split('\n')
    return mutants.map(({ mutatorName, replacement = '', status, location: { start, end } }) => {
      const fate = fates[status]
      if (fate === undefined) throw new Error(`Stryker reports an unknown status: ${status}.`)
      const line = onOneLine(lines[start.line - 1] ?? '')
      return { file, mutator: mutatorName, line, from: cut(lines, start, end), to: onOneLine(replacement), fate }
    })
  })
}

function cut(lines: readonly string[], start: Position, end: Position): string {
  const taken = lines.slice(start.line - 1, end.line)
  const last = taken.length - 1
  const text = taken.map((line, at) =>
    line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : undefined),
  )
  return onOneLine(text.join('\n'))
}

function onOneLine(code: string): string {
  return code.replaceAll(/\s+/g, ' ').trim()
}
