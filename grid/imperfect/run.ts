// Servers and clients that misbehave in common ways, each without the gateway and through it: the results must be equal,
// or the difference must be listed with its reason.
//
// `npm run grid -- imperfect` plays all cases; `--quick` some; `--only <text>` those whose name has the text.

import { compare, type Difference, differenceText, stale, type Verdict } from '../compare/differences.ts'
import { inLanes } from '../lanes.ts'
import type { Generation } from '../messages.ts'
import { Processes } from '../processes.ts'
import { scratch } from '../scratch.ts'
import type { Case } from './case.ts'
import { clientCases } from './client-cases.ts'
import { listed } from './listed.ts'
import { serverCases } from './server-cases.ts'
import { visit } from './visit.ts'

/** Most of them wait for a process to start. */
const casesAtOnce = 3
const both: readonly Generation[] = ['2025', '2026']

export interface Choice {
  readonly quick: boolean
  readonly only: string
}

/** Without the gateway only a client of the server's own generation can connect. */
async function judge(one: Case, processes: Processes): Promise<Verdict[]> {
  const { server, clients = both, name: where } = one
  const direct = await visit(one, 'direct', server, processes)
  const entries = listed.filter((entry) => entry.where === where)
  const verdicts: Verdict[] = []
  for (const client of clients) {
    const sides = { isMixed: client !== server }
    const through = await visit(one, 'gateway', client, processes)
    verdicts.push(compare({ where, client }, direct.for(sides), through.for(sides), entries))
  }
  return verdicts
}

export async function runImperfect({ quick, only }: Choice): Promise<boolean> {
  const { directory, remove } = scratch()
  const processes = new Processes(directory)
  const all = [...serverCases, ...clientCases]
  const chosen = all.filter((one) => (!quick || one.quick === true) && one.name.includes(only))
  const verdicts = new Map<Case, Verdict[]>()
  await inLanes(casesAtOnce, chosen, async (one) => {
    verdicts.set(one, await judge(one, processes))
    process.stderr.write(`${verdicts.size} of ${chosen.length} cases\r`)
  })
  await processes.endAll()
  const judged = chosen.flatMap((one) => verdicts.get(one) ?? [])
  const unexplained = judged.flatMap((verdict) => verdict.unexplained)
  const gone = stale(judged)
  process.stdout.write(`${report(chosen, judged, unexplained, gone)}\n`)
  if (unexplained.length === 0) remove()
  else process.stdout.write(`logs of the processes: ${directory}\n`)
  const explained = new Set(judged.flatMap((verdict) => verdict.listed)).size
  process.stdout.write(
    `imperfect: ${chosen.length} cases, ${judged.length} comparisons, ${unexplained.length} unexplained differences, ${explained} listed\n`,
  )
  return chosen.length > 0 && unexplained.length === 0 && gone.length === 0
}

function report(
  cases: readonly Case[],
  verdicts: readonly Verdict[],
  unexplained: readonly Difference[],
  gone: readonly { where: string; step: string }[],
): string {
  const width = Math.max(...cases.map(({ name }) => name.length))
  const rows = cases.map(({ name }) => {
    const marks = both.map((client) => markOf(verdicts.find((one) => one.where === name && one.client === client)))
    return `${name.padEnd(width)}  ${marks.join('     ')}`
  })
  const reasons = [...new Set(verdicts.flatMap(({ listed: entries }) => entries))].map(
    ({ where, step, reason }) => `≠ ${where} · ${step}: ${reason}`,
  )
  const head = `${''.padEnd(width)}  2025  2026`
  const legend = '✓ the same, ≠ differs as listed, ✗ differs, · not compared'
  const untrue = gone.map(({ where, step }) => `✗ ${where} · ${step}: listed, but does not differ`)
  return [head, ...rows, '', legend, ...reasons, ...unexplained.map(differenceText), ...untrue, ''].join('\n')
}

function markOf(verdict: Verdict | undefined): string {
  if (verdict === undefined) return '·'
  if (verdict.unexplained.length > 0) return '✗'
  return verdict.listed.length > 0 ? '≠' : '✓'
}
