// The grid as a table in the terminal: a row per client and topology, a column per act, a mark per mode.

import { type ActName, acts, type Cell, nameOf, topologyName } from './cells.ts'

export interface Verdict {
  readonly cell: Cell
  readonly reasons: readonly string[]
}

const marks = { pass: '✓', fail: '✗', none: '·' } as const

export function tableOf(verdicts: readonly Verdict[]): string {
  const columns = (Object.keys(acts) as ActName[]).filter((act) => verdicts.some(({ cell }) => cell.act === act))
  const rows = [...new Set(verdicts.map(({ cell }) => topologyName(cell)))]
  // Headings have two lines, otherwise the table would be wider than most terminals.
  const heads = columns.map((act) => act.split(/ (.*)/, 2))
  const widths = heads.map((words) => Math.max(2, ...words.map((word) => word.length)))
  const labelWidth = Math.max(...rows.map((row) => row.length))
  const line = (label: string, cells: readonly string[]) =>
    [label.padEnd(labelWidth), ...cells.map((cell, i) => cell.padEnd(widths[i] ?? 0))].join('  ').trimEnd()
  const lines = rows.map((row) => {
    const own = verdicts.filter(({ cell }) => topologyName(cell) === row)
    return line(
      row,
      columns.map((act) => marksOf(own.filter(({ cell }) => cell.act === act))),
    )
  })
  const head = [0, 1].map((i) =>
    line(
      '',
      heads.map((words) => words[i] ?? ''),
    ),
  )
  return [...head, ...lines, '', 'of two marks the first is form mode, the second URL mode'].join('\n')
}

function marksOf(verdicts: readonly Verdict[]): string {
  if (verdicts.length === 0) return marks.none
  return verdicts.map(({ reasons }) => (reasons.length === 0 ? marks.pass : marks.fail)).join('')
}

export function failuresOf(verdicts: readonly Verdict[]): string[] {
  return verdicts
    .filter(({ reasons }) => reasons.length > 0)
    .map(({ cell, reasons }) => `${marks.fail} ${nameOf(cell)}: ${reasons.join('; ').replaceAll(/\s+/g, ' ')}`)
}
