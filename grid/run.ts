// Tests the relay: every combination of client, server, transport, mode and outcome, with real SDK processes.
//
// `npm run grid` runs all cells; `--quick` a few per topology and those that failed once; `--only <text>` those with the
// text in their name; `--direct` client and server of one generation without a gateway, to check the grid itself.
// `imperfect` and `exchanges` are separate comparisons: the same clients without the gateway and through it.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { actOf, type Cell, chooseCells, unknownNames } from './cells.ts'
import { ClientProcess } from './clients.ts'
import { expectedOf } from './expect.ts'
import { Journal } from './journal.ts'
import { judgeCounts } from './judge.ts'
import { inLanes } from './lanes.ts'
import type { Generation } from './messages.ts'
import { play } from './play.ts'
import { Processes } from './processes.ts'
import { scratch } from './scratch.ts'
import { waits } from './settings.ts'
import { failuresOf, tableOf, type Verdict } from './table.ts'
import { TestEnv } from './test-env.ts'
import { newName, type Played, type RunContext, type Visit } from './visit.ts'

/** More would only make the processes wait for a core. */
const topologiesAtOnce = 2
/** Over stdio even a cell that only waits starts up to three processes. */
const startsAtOnce = 3

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean', default: false },
    direct: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
})

interface Finished extends Played {
  readonly cell: Cell
}

async function playTopology(cells: readonly Cell[], run: RunContext, journalPath: string): Promise<Finished[]> {
  const [first] = cells
  if (first === undefined) return []
  const testEnv = new TestEnv(first.topology, run.processes, journalPath)
  try {
    await testEnv.open()
    const visits = new Map<Generation, Visit>()
    for (const client of new Set(cells.map((cell) => cell.client))) {
      visits.set(client, await visitBy(client, testEnv, run))
    }
    return await inOrder(cells, visits)
  } catch (error) {
    return cells.map((cell) => failed(cell, error))
  } finally {
    await testEnv.close()
  }
}

async function visitBy(generation: Generation, testEnv: TestEnv, run: RunContext): Promise<Visit> {
  const visit = { ...run, testEnv, client: run.clients[generation], connection: newName('line') }
  await visit.client.connect(visit.connection, await testEnv.entrance('person'))
  return visit
}

/** One after the other, except for those that mostly wait; those that kill a server run last. */
async function inOrder(cells: readonly Cell[], visits: ReadonlyMap<Generation, Visit>): Promise<Finished[]> {
  const finished = new Map<Cell, Finished>()
  const playOne = async (cell: Cell) => {
    const visit = visits.get(cell.client)
    if (visit !== undefined) finished.set(cell, await playSafely(cell, visit))
  }
  const kindOf = ({ act }: Cell) => actOf(act).turn ?? 'first'
  for (const cell of cells) if (kindOf(cell) === 'first') await playOne(cell)
  const idle = cells.filter((cell) => kindOf(cell) === 'idle')
  await inLanes(cells[0]?.topology.front === 'stdio' ? startsAtOnce : idle.length, idle, playOne)
  for (const cell of cells) if (kindOf(cell) === 'last') await playOne(cell)
  for (const { client, connection } of visits.values()) await client.disconnect(connection)
  return cells.flatMap((cell) => finished.get(cell) ?? [])
}

async function playSafely(cell: Cell, visit: Visit): Promise<Finished> {
  // More than the sum of the limits of its parts, whose errors are more specific.
  const limitMs = waits.startMs * 2 + (cell.act === 'crowd' ? waits.crowdMs : waits.cellMs * 2)
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(new Error(`not over after ${limitMs} ms`)), limitMs)
  try {
    return { cell, ...(await Promise.race([play(cell, visit), limit.promise])) }
  } catch (error) {
    return failed(cell, error)
  } finally {
    clearTimeout(timer)
  }
}

function failed(cell: Cell, error: unknown): Finished {
  return { cell, reasons: [error instanceof Error ? error.message : String(error)], callIds: [] }
}

/** Counts again at the end of the run, to find effects that happened after their cell. */
function verdictOn({ cell, reasons, callIds, judgedAs = cell.act }: Finished, journal: Journal): Verdict {
  const expected = expectedOf({ ...cell, act: judgedAs })
  const late = callIds.flatMap((callId) => judgeCounts(cell, expected, journal.of(callId)))
  return { cell, reasons: [...new Set([...reasons, ...late])] }
}

async function main(): Promise<boolean> {
  const unknown = unknownNames()
  if (unknown.length > 0) {
    process.stdout.write(`grid/once-failed.ts names cells that do not exist:\n${unknown.join('\n')}\n`)
    return false
  }
  const { directory, remove } = scratch()
  const journalPath = join(directory, 'journal.jsonl')
  const processes = new Processes(directory)
  const clients = { 2025: new ClientProcess(processes, '2025'), 2026: new ClientProcess(processes, '2026') }
  const run: RunContext = { processes, journal: new Journal(journalPath), clients }

  const finished = new Map<readonly Cell[], Finished[]>()
  const topologies = chooseCells(values)
  await inLanes(topologiesAtOnce, topologies, async (cells) => {
    finished.set(cells, await playTopology(cells, run, journalPath))
    process.stderr.write(`${finished.size} of ${topologies.length} topologies\r`)
  })
  await processes.endAll()

  const verdicts = topologies.flatMap((cells) => finished.get(cells) ?? []).map((each) => verdictOn(each, run.journal))
  const failures = failuresOf(verdicts)
  run.journal.close()
  if (failures.length === 0) remove()
  else failures.push(`logs of the processes and the servers' journal: ${directory}`, 'Add them to grid/once-failed.ts.')
  const passed = verdicts.filter(({ reasons }) => reasons.length === 0).length
  process.stdout.write(`${[tableOf(verdicts), '', ...failures, `grid: ${passed}/${verdicts.length}`].join('\n')}\n`)
  return verdicts.length > 0 && passed === verdicts.length
}

async function chosen([comparison]: readonly string[]): Promise<boolean> {
  switch (comparison) {
    case undefined:
      return main()
    case 'imperfect':
      return (await import('./imperfect/run.ts')).runImperfect(values)
    case 'exchanges':
      return (await import('./exchanges/run.ts')).runExchanges(values)
  }
  throw new Error(`Unknown comparison ${comparison}. There are imperfect and exchanges.`)
}

process.exitCode = (await chosen(positionals)) ? 0 : 1
