// Compares the surviving mutants with the list of survivors and their reasons (test/mutants/survivors.json).
import { readFileSync } from 'node:fs'
import type { Judged, Mutant } from './report.ts'

export interface Listed {
  /** Why no test kills these: the difference cannot be observed, or does not matter. */
  readonly reason: string
  readonly file: string
  readonly mutants: readonly Omit<Mutant, 'file'>[]
}

export interface Comparison {
  readonly unlisted: readonly Mutant[]
  /** Listed, but a test now kills them, or their code no longer exists. */
  readonly stale: readonly Mutant[]
  /** Listed, but a test timed out with them. A slow machine can cause that, so it proves nothing. */
  readonly unclear: readonly Mutant[]
}

export function readList(path: URL): readonly Listed[] {
  return JSON.parse(readFileSync(path, 'utf8')) as readonly Listed[]
}

/** Compares only entries of files that were mutated. Identical mutants are counted. */
export function compare(judged: readonly Judged[], list: readonly Listed[]): Comparison {
  const files = new Set(judged.map(({ file }) => file))
  const listed = list.flatMap(({ file, mutants }) => (files.has(file) ? mutants.map((one) => ({ ...one, file })) : []))
  const survived = judged.filter(({ fate }) => fate === 'survived')
  const rest = without(listed, survived)
  const timedOut = judged.filter(({ fate }) => fate === 'timed-out')
  const stale = without(rest, timedOut)
  return { unlisted: without(survived, listed), stale, unclear: without(rest, stale) }
}

/** The mutants of one list that are not in the other; each match removes one. */
function without<Some extends Mutant>(all: readonly Some[], taken: readonly Mutant[]): readonly Some[] {
  const left = new Map<string, number>()
  for (const one of taken) left.set(keyOf(one), (left.get(keyOf(one)) ?? 0) + 1)
  return all.filter((one) => {
    const count = left.get(keyOf(one)) ?? 0
    left.set(keyOf(one), count - 1)
    return count <= 0
  })
}

function keyOf({ file, mutator, line, from, to }: Mutant): string {
  return JSON.stringify([file, mutator, line, from, to])
}
