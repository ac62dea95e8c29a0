// Counts and prints the results of the runs of each cell.

import type { Outcome } from './attempt.ts'
import { type CellName, nameOf } from './cells.ts'

export interface Tally {
  readonly name: string
  runs: number
  ran: number
  /** The server reported that it did not run. */
  no: number
  /** The caller got an error with a reason. */
  refused: number
  wordless: number
  failOpen: number
  tokens: number
  latestMs: number
  /** The same without the time in which the machine ran other processes. */
  ownMs: number
  backMs: number
}

export function newTally(cell: CellName): Tally {
  const counts = {
    runs: 0,
    ran: 0,
    no: 0,
    refused: 0,
    wordless: 0,
    failOpen: 0,
    tokens: 0,
    latestMs: 0,
    ownMs: 0,
    backMs: 0,
  }
  return { name: nameOf(cell), ...counts }
}

export function count(tally: Tally, { end, lates, backMs, tokens }: Outcome): void {
  tally.runs += 1
  tally.tokens += tokens
  tally.backMs = Math.max(tally.backMs, backMs)
  for (const { lateMs, heldUpMs } of lates) {
    tally.latestMs = Math.max(tally.latestMs, lateMs)
    tally.ownMs = Math.max(tally.ownMs, lateMs - heldUpMs)
  }
  if (end.kind === 'result' && end.text.startsWith('ran ')) tally.ran += 1
  else if (end.kind === 'result') tally.no += 1
  else if (end.kind === 'error' && end.message !== '') tally.refused += 1
  else tally.wordless += 1
}

export function printRun({ name }: Tally, { plan, end, lates }: Outcome): void {
  const { record, moment, behaviour } = plan
  const how = `${record.client} client, ${record.server} server, asked in the ${record.asked}, ${behaviour}, fails ${moment}`
  const times = lates
    .slice(0, 2)
    .map(({ lateMs, heldUpMs }) => `${lateMs - Math.round(heldUpMs)} + ${Math.round(heldUpMs)}`)
  console.log(`closed: ${name}: ${record.ticket} ${how}: ${JSON.stringify(end).slice(0, 160)} ${times.join(', ')} ms`)
}

export function printTable(tallies: readonly Tally[]): void {
  const columns = [
    'cell',
    'runs',
    'ran',
    'no',
    'refused',
    'wordless',
    'fail-open',
    'bad tokens',
    'latest ms',
    'by the clock',
    'back ms',
  ] as const
  const rows = tallies.map((one) =>
    [
      one.name,
      one.runs,
      one.ran,
      one.no,
      one.refused,
      one.wordless,
      one.failOpen,
      one.tokens,
      Math.round(one.ownMs),
      Math.round(one.latestMs),
      one.backMs,
    ].map(String),
  )
  const widths = columns.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  for (const row of [columns as readonly string[], ...rows])
    console.log(
      `closed: ${row.map((text, at) => (at === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[at] ?? 0))).join('  ')}`,
    )
}
