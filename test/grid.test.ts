// Tests which cells the quick form of the grid runs, and therefore CI.
import { expect, test } from 'vitest'
import { chooseCells, nameOf, unknownNames } from '../grid/cells.ts'
import { onceFailed } from '../grid/once-failed.ts'

const choice = { direct: false, quick: true, only: '' }

test('[HOUSE-11] the quick form also runs a cell that failed once', () => {
  const quick = new Set(chooseCells(choice, []).flat().map(nameOf))
  const left = chooseCells({ ...choice, quick: false })
    .flat()
    .map(nameOf)
    .filter((name) => !quick.has(name))
  const [first = ''] = left

  const again = chooseCells(choice, [first]).flat().map(nameOf)

  expect(left.length).toBeGreaterThan(0)
  expect(again).toContain(first)
  expect(new Set(again)).toEqual(new Set([...quick, first]))
  expect(chooseCells(choice).flat().map(nameOf)).toEqual(expect.arrayContaining([...onceFailed]))
})

test('[HOUSE-11] every cell on the list exists, and an unknown one is reported', () => {
  expect(unknownNames()).toEqual([])
  expect(unknownNames(['2025 http → gateway → 2024 http · accept · form'])).toHaveLength(1)
})
