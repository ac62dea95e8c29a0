// The referee of the relay: every pairing of client and server, transport, mode and ending, by real SDK processes.
//
// `npm run grid` plays all cells; `--quick` a few at every place and those that failed once; `--only <text>` those whose name has the text;
// `--direct` client and server of one generation without a gateway, which shows that the grid itself is right.
// `imperfect` and `exchanges` are comparisons of their own: the same clients without the gateway and through it.

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
import { Stage } from './stage.ts'
import { failuresOf, tableOf, type Verdict } from './table.ts'
import { type Company, newName, type Played, type Visit } from './visit.ts'

/** More would only make the processes wait for a core. */
const placesAtOnce = 2
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

async function playPlace(cells: readonly Cell[], company: Company, journalPath: string): Promise<Finished[]> {
  const [first] = cells
  if (first === undefined) return []
  const stage = new Stage(first.place, company.processes, journalPath)
  try {
    await stage.open()
    const visits = new Map<Generation, Visit>()
    for (const client of new Set(cells.map((cell) => cell.client))) {
      visits.set(client, await visitBy(client, stage, company))
    }
    return await inOrder(cells, visits)
  } catch (error) {
    return cells.map((cell) => failed(cell, error))
  } finally {
    await stage.close()
  }
}

async function visitBy(generation: Generation, stage: Stage, company: Company): Promise<Visit> {
  const visit = { ...company, stage, client: company.clients[generation], connection: newName('line') }
  await visit.client.connect(visit.connection, await stage.entrance('person'))
  return visit
}

/** One after the other, except for those that only wait; and what kills a server when nobody else needs it. */
async function inOrder(cells: readonly Cell[], visits: ReadonlyMap<Generation, Visit>): Promise<Finished[]> {
  const finished = new Map<Cell, Finished>()
  const playOne = async (cell: Cell) => {
    const visit = visits.get(cell.client)
    if (visit !== undefined) finished.set(cell, await playSafely(cell, visit))
  }
  const kindOf = ({ act }: Cell) => actOf(act).turn ?? 'first'
  for (const cell of cells) if (kindOf(cell) === 'first') await playOne(cell)
  const idle = cells.filter((cell) => kindOf(cell) === 'idle')
  await inLanes(cells[0]?.place.front === 'stdio' ? startsAtOnce : idle.length, idle, playOne)
  for (const cell of cells) if (kindOf(cell) === 'last') await playOne(cell)
  for (const { client, connection } of visits.values()) await client.disconnect(connection)
  return cells.flatMap((cell) => finished.get(cell) ?? [])
}

async function playSafely(cell: Cell, visit: Visit): Promise<Finished> {
  // More than its parts may take together: each has its own limit, and says better what was late.
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

/** Counts once more when everything is over, for effects that came after their cell. */
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
  const company: Company = { processes, journal: new Journal(journalPath), clients }

  const finished = new Map<readonly Cell[], Finished[]>()
  const places = chooseCells(values)
  await inLanes(placesAtOnce, places, async (cells) => {
    finished.set(cells, await playPlace(cells, company, journalPath))
    process.stderr.write(`${finished.size} of ${places.length} places\r`)
  })
  await processes.endAll()

  const verdicts = places.flatMap((cells) => finished.get(cells) ?? []).map((each) => verdictOn(each, company.journal))
  const failures = failuresOf(verdicts)
  company.journal.close()
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
