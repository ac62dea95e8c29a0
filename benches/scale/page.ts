// The tables of docs/background/scale.md, which a full run writes between two marks.

import { readFile, writeFile } from 'node:fs/promises'
import { whole } from '../store/figures.ts'
import { assumed } from './assumed.ts'
import { type Costs, type Demand, type Resource, resources } from './demand.ts'
import { type Breaking, type Failure, failures } from './failures.ts'
import type { Needs } from './machines.ts'
import { measured } from './measured.ts'

const target = new URL('../../docs/background/scale.md', import.meta.url)

export interface Computed {
  readonly costs: Costs
  readonly needs: Needs
  readonly mostOpen: number
  readonly mostPerSecond: number
  readonly worst: ReadonlyMap<Failure, Demand>
  readonly breaking: readonly Breaking[]
  readonly largestTenant: { readonly byDatabase: number; readonly byLog: number }
}

export async function writePage(computed: Computed, commit: string): Promise<void> {
  const text = await readFile(target, 'utf8')
  const blocks = {
    costs: costTable(computed.costs),
    needs: needsTable(computed),
    failures: failureTable(computed.worst),
    breaking: breakingList(computed),
    assumptions: assumptionTable(),
    run: `These figures are from a full run of \`npm run bench -- scale\` (commit ${commit}).`,
  }
  let written = text
  for (const [name, block] of Object.entries(blocks)) written = replaced(written, name, block)
  await writeFile(target, written)
}

export function replaced(text: string, name: string, block: string): string {
  const begin = `<!-- ${name}: written by npm run bench -- scale -->`
  const end = `<!-- end of ${name} -->`
  const from = text.indexOf(begin)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`docs/background/scale.md has no place for "${name}".`)
  return `${text.slice(0, from + begin.length)}\n\n${block}\n\n${text.slice(to)}`
}

function costTable({ ask, log }: Costs): string {
  return table(
    ['per ask', 'measured'],
    [
      ['rows', ask.rows.toFixed(0)],
      [
        'bytes in tables and indexes',
        `${whole(ask.keptBytes)}, of which the audit log has ${whole(ask.auditBytes)}, texts included`,
      ],
      ['bytes of write-ahead log', whole(ask.logBytes)],
      ['processor time in the process that uses the store', `${(ask.nodeUs / 1_000).toFixed(2)} ms`],
      ['processor time in the database', `${(ask.databaseUs / 1_000).toFixed(2)} ms`],
      [
        'extending an audit log by one entry',
        `${(log.stepNodeUs / 1_000).toFixed(2)} ms in the gateway, ${(log.stepDatabaseUs / 1_000).toFixed(2)} ms in the database, ${whole(log.stepLogBytes)} bytes of write-ahead log`,
      ],
      ['extending one log by many entries at once', `${whole(log.entriesPerSecond)} entries per second`],
    ],
  )
}

function needsTable({ needs, mostOpen, mostPerSecond }: Computed): string {
  return table(
    ['needed', 'how many', 'because of'],
    [
      [
        `databases of ${assumed.databaseCores} cores, each with a standby`,
        String(needs.databases),
        needs.databasesBecause,
      ],
      [`gateways of ${assumed.gatewayCores} cores`, String(needs.gateways), needs.gatewaysBecause],
      ['NATS servers', String(needs.signalServers), 'signals to the gateways that wait for an answer'],
      [
        'asks per second',
        `${whole(needs.peakPerSecond)}`,
        `${assumed.peakOverMean} times the mean; the simulated day has at most ${whole(mostPerSecond)}`,
      ],
      ['open asks', `${(mostOpen / 1e6).toFixed(1)} million`, 'how long people take to answer'],
      [
        'open inbox pages',
        whole(assumed.people * assumed.watchingShare),
        `${whole((assumed.people * assumed.watchingShare) / needs.gateways)} for each gateway`,
      ],
      ['disk in all databases', `${whole(needs.keptTb)} TB`, `rows and texts of ${assumed.answerDays} days`],
      [
        'object storage for the audit log',
        `${whole(needs.logTb)} TB per year`,
        `${measured.leafBytes} bytes per entry, without texts`,
      ],
      [
        'money',
        `$${whole(needs.usdPerMonth)} per month`,
        `list prices; $${needs.usdPerMillion.toFixed(2)} per million asks`,
      ],
    ],
  )
}

function failureTable(worst: ReadonlyMap<Failure, Demand>): string {
  const percent = (failure: Failure, resource: Resource) => `${whole((worst.get(failure)?.[resource] ?? 0) * 100)} %`
  return table(
    ['used in the busiest minute', ...failures.map((failure) => (failure === 'none' ? 'no failure' : failure))],
    resources.map((resource) => [resource, ...failures.map((failure) => percent(failure, resource))]),
  )
}

function breakingList({ breaking, largestTenant }: Computed): string {
  const lines = breaking.map(({ resource, failure, atTimes }) => {
    const when = failure === 'none' ? 'without a failure' : `when ${failure}`
    return `1. **${capital(resource)}**, at ${atTimes.toFixed(1)} times this load, ${when}.`
  })
  return [
    ...lines,
    '',
    `One tenant may have at most ${percentOf(largestTenant.byDatabase)} of all asks, because it is in one database, and at most ` +
      `${percentOf(largestTenant.byLog)}, because it has one audit log.`,
  ].join('\n')
}

function percentOf(share: number): string {
  return share >= 1 ? '100 %' : `${(share * 100).toFixed(1)} %`
}

function assumptionTable(): string {
  return table(
    ['assumed', 'value'],
    Object.entries(assumed).map(([name, value]) => [inWords(name), value.toLocaleString('en')]),
  )
}

/** `peakOverMean` becomes "peak over mean". */
function inWords(name: string): string {
  return name.replace(/[A-Z]/g, (initial) => ` ${initial.toLowerCase()}`)
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** Aligned, as the documentation is. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
