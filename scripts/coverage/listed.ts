// Compares the code that no test ran with the list of exceptions and their reasons (test/coverage/uncovered.json).
import { readFileSync } from 'node:fs'
import type { Uncovered } from './report.ts'

export interface Exception {
  /** Why no test runs these. */
  readonly reason: string
  readonly file: string
  /** Lines of code, without indentation. */
  readonly lines: readonly string[]
}

export interface Comparison {
  readonly unlisted: readonly Uncovered[]
  /** Listed, but a test runs it now, or it no longer exists. */
  readonly stale: readonly Uncovered[]
}

export function readExceptions(path: URL): readonly Exception[] {
  return JSON.parse(readFileSync(path, 'utf8')) as readonly Exception[]
}

/** Identical lines of a file are counted. */
export function compare(uncovered: readonly Uncovered[], exceptions: readonly Exception[]): Comparison {
  const listed = exceptions.flatMap(({ file, lines }) => lines.map((line) => ({ file, line })))
  return { unlisted: without(uncovered, listed), stale: without(listed, uncovered) }
}

function without(all: readonly Uncovered[], taken: readonly Uncovered[]): readonly Uncovered[] {
  const left = new Map<string, number>()
  for (const one of taken) left.set(keyOf(one), (left.get(keyOf(one)) ?? 0) + 1)
  return all.filter((one) => {
    const count = left.get(keyOf(one)) ?? 0
    left.set(keyOf(one), count - 1)
    return count <= 0
  })
}

function keyOf({ file, line }: Uncovered): string {
  return JSON.stringify([file, line])
}
