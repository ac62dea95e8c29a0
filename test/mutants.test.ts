// Tests the comparison of Stryker's report with the list of survivors: unlisted survivors, stale and unclear entries.
import { describe, expect, test } from 'vitest'
import { mutantsOf } from '../scripts/mutants/report.ts'
import { compare, readList } from '../scripts/mutants/survivors.ts'
import { readText } from './workspace.ts'

const source = ['function most(a: number, b: number) {', '  return a > b', '    ? a', '    : b', '}'].join('\n')
const at = (line: number, column: number) => ({ line, column })
const mutant = (status: string, replacement: string, end = at(2, 15)) => ({
  mutatorName: 'EqualityOperator',
  replacement,
  status,
  location: { start: at(2, 10), end },
})
const judgedAs = (...statuses: readonly [string, string][]) =>
  mutantsOf({ files: { 'most.ts': { source, mutants: statuses.map(([status, to]) => mutant(status, to)) } } })
const entry = { mutator: 'EqualityOperator', line: 'return a > b', from: 'a > b', to: 'a >= b' }
const list = [{ reason: 'They are equal there.', file: 'most.ts', mutants: [entry] }]

describe('a mutant', () => {
  test('[HOUSE-10] is identified by the text of its line and its code, not by its line number', () => {
    expect(judgedAs(['Survived', 'a >= b'])).toEqual([{ ...entry, file: 'most.ts', fate: 'survived' }])
    const moved = mutantsOf({
      files: { 'most.ts': { source, mutants: [mutant('NoCoverage', '{\n  b\n}', at(4, 8))] } },
    })
    expect(moved).toMatchObject([{ from: 'a > b ? a : b', to: '{ b }', fate: 'survived' }])
  })

  test('[HOUSE-10] with an unknown status is an error', () => {
    expect(() => judgedAs(['Pending', ''])).toThrow('Pending')
  })

  test('[HOUSE-10] that survives and is not listed is reported, also next to an identical one that is listed', () => {
    expect(compare(judgedAs(['Survived', 'a >= b']), list)).toEqual({ unlisted: [], stale: [], unclear: [] })
    expect(compare(judgedAs(['Survived', 'a < b'], ['Survived', 'a >= b']), list).unlisted).toMatchObject([
      { to: 'a < b' },
    ])
    expect(compare(judgedAs(['Survived', 'a >= b'], ['Survived', 'a >= b']), list).unlisted).toHaveLength(1)
    expect(compare(judgedAs(['NoCoverage', 'a >= b']), []).unlisted).toHaveLength(1)
  })

  test('[HOUSE-10] that is listed and was killed or no longer exists is reported; one that timed out is unclear', () => {
    expect(compare(judgedAs(['Killed', 'a >= b']), list)).toMatchObject({ stale: [entry], unclear: [] })
    expect(compare(judgedAs(['Killed', 'a < b']), list)).toMatchObject({ stale: [entry], unclear: [] })
    expect(compare(judgedAs(['Timeout', 'a >= b']), list)).toMatchObject({ stale: [], unclear: [entry] })
    expect(compare([], list)).toEqual({ unlisted: [], stale: [], unclear: [] })
  })
})

test('[HOUSE-10] every listed survivor has a reason, and its line still exists in its file', () => {
  const lines = (text: string) => new Set(text.split('\n').map((line) => line.replaceAll(/\s+/g, ' ').trim()))
  for (const { reason, file, mutants } of readList(new URL('mutants/survivors.json', import.meta.url))) {
    expect(reason).toMatch(/^[A-Z].{20,}\.$/)
    const known = lines(readText(file))
    expect(mutants.map(({ line }) => line).filter((line) => !known.has(line))).toEqual([])
    // A mutant of a whole block is matched by the block's text, comments included.
    const text = readText(file).replaceAll(/\s+/g, ' ')
    expect(mutants.map(({ from }) => from).filter((from) => !text.includes(from))).toEqual([])
  }
})
