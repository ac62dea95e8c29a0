// Checks the table of docs/background/trust.md against the guarantees and their tests: each cell says what is tested.
import { expect, test } from 'vitest'
import { readPromises } from './promises/judge.ts'
import { readText } from './workspace.ts'

/** The cells of the table of modes, by mode and by who tries. The names of the rows and columns are not cells. */
function cellsOf(markdown: string): Map<string, string> {
  const table = markdown.split('\n').slice(markdown.split('\n').findIndex((line) => line.startsWith('| mode')))
  const rows = table.slice(0, table.indexOf('')).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  const [[, ...columns] = [], , ...modes] = rows
  const cells = modes.flatMap(([mode = '', ...row]) =>
    row.map((cell, at): [string, string] => [`${mode}: ${columns[at]}`, cell]),
  )
  return new Map(cells)
}

function citedIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`\[([A-Z]+-\d+)\]`/g)].map(([, id = '']) => id)
}

test('[HOUSE-27] each cell of the trust table cites a guarantee, and each cited guarantee has a test', () => {
  const cells = cellsOf(readText('docs/background/trust.md'))
  const listed = readPromises(readText('docs/behaviour.md'))

  expect(cells.size).toBe(12)
  expect([...cells].filter(([, cell]) => citedIn(cell).length === 0)).toEqual([])
  // [HOUSE-8] checks that each listed guarantee has a test.
  const cited = [...new Set([...cells.values()].flatMap(citedIn))]
  expect(cited.filter((id) => !listed.ids.includes(id))).toEqual([])
})
