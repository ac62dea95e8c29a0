// Which cells the quick form of the grid, and so CI, plays.
import { expect, test } from 'vitest'
import { chooseCells, nameOf, unknownNames } from '../grid/cells.ts'
import { onceFailed } from '../grid/once-failed.ts'

const choice = { direct: false, quick: true, only: '' }

test('[HOUSE-11] a cell that failed once is played in the quick form, and the others as before', () => {
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

test('[HOUSE-11] every cell on the list exists, and one that does not is found', () => {
  expect(unknownNames()).toEqual([])
  expect(unknownNames(['2025 http → gateway → 2024 http · accept · form'])).toHaveLength(1)
})
