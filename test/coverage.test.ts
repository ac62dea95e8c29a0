// Tests how a coverage report is read and compared with the list of exceptions.
import { expect, test } from 'vitest'
import { compare, readExceptions } from '../scripts/coverage/listed.ts'
import { fileCoverage, type IstanbulFile, share, sum } from '../scripts/coverage/report.ts'
import { readText } from './workspace.ts'

const source = ['export function sign(n: number) {', '  if (n < 0) return -1', '  return n > 0 ? 1 : 0', '}'].join('\n')
const at = (line?: number) => ({ start: { line } })
const report: IstanbulFile = {
  path: 'sign.ts',
  statementMap: { 0: at(2), 1: at(2), 2: at(3) },
  s: { 0: 5, 1: 0, 2: 5 },
  branchMap: { 0: { loc: at(2), locations: [at(2), at()] }, 1: { loc: at(3), locations: [at(3), at(3)] } },
  b: { 0: [0, 5], 1: [4, 0] },
}

test('[HOUSE-23] a line is covered if a statement on it ran, and each way of a branch counts by itself', () => {
  const { lines, branches, uncovered } = fileCoverage('sign.ts', source, report)
  expect(lines).toEqual({ covered: 2, total: 2 })
  expect(branches).toEqual({ covered: 2, total: 4 })
  expect(uncovered.map(({ line }) => line)).toEqual(['if (n < 0) return -1', 'return n > 0 ? 1 : 0'])
  const never = fileCoverage('sign.ts', source, { ...report, s: { 0: 0, 1: 0, 2: 5 } })
  expect(never.lines).toEqual({ covered: 1, total: 2 })
  expect(share(sum([lines, never.lines]))).toBe(0.75)
  expect(share({ covered: 0, total: 0 })).toBe(1)
})

test('[HOUSE-23] code that is not covered and not listed is reported, and so is a listed line that is covered', () => {
  const { uncovered } = fileCoverage('sign.ts', source, report)
  const [first, second] = uncovered
  expect(compare(uncovered, [])).toEqual({ unlisted: uncovered, stale: [] })
  const listed = { reason: 'Negative numbers do not occur.', file: 'sign.ts', lines: ['if (n < 0) return -1'] }
  expect(compare(uncovered, [listed])).toEqual({ unlisted: [second], stale: [] })
  expect(compare([], [listed])).toEqual({ unlisted: [], stale: [first] })
  expect(compare(uncovered, [{ ...listed, file: 'other.ts' }]).unlisted).toHaveLength(2)
})

test('[HOUSE-23] every exception has a reason, and its lines still exist in its file', () => {
  for (const { reason, file, lines } of readExceptions(new URL('coverage/uncovered.json', import.meta.url))) {
    expect(reason).toMatch(/^[A-Z].{20,}\.$/)
    const known = new Set(
      readText(file)
        .split('\n')
        .map((line) => line.trim()),
    )
    expect(
      lines.filter((line) => !known.has(line)),
      file,
    ).toEqual([])
  }
})
