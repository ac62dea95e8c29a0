// Proof: whatever fails, and in whichever way, gates fail closed, and they say so in time.
//
// Every cell is a dependency (database, NATS, identity provider, server, clock) and a way to fail; in each run it begins to
// fail at another moment of a gated call's life. Clients and servers are of both generations, people answer in the client or
// in an inbox, one of the servers has a gate of the sdk. ASSENT_PROOF_RUNS sets how many runs each cell has.

import type { Measurement } from '../scripts/measurement.ts'
import { bugs, type ClosedBug } from './closed-bugs.part.ts'
import { type CellName, cells, nameOf, waves, withoutMeaning } from './closed-cells.part.ts'
import { type Cell, House } from './closed-house.part.ts'
import { judged } from './closed-judge.part.ts'
import { type Mind, moments, type Plan, runOnce } from './closed-run.part.ts'
import { count, newTally, printTable, type Tally, tellRun } from './closed-tally.part.ts'
import { type SeededRandom, seededRandom } from './random.part.ts'

/** How long after its deadline a gate may take to answer. A machine of CI does other things too. */
const barMs = 2_000
const quickBarMs = 6_000

export const run: Measurement = async ({ quick, seed }) => {
  const runs = Number(process.env.ASSENT_PROOF_RUNS ?? (quick ? 2 : 24))
  const planted = quick ? (['own-clock'] as const) : (Object.keys(bugs) as ClosedBug[])
  // What is planted has a house of its own.
  const [results, missed] = await Promise.all([liveInWaves(runs, seed), notFound(planted, seed)])
  return verdict(results, { missed, planted: planted.length, bar: quick ? quickBarMs : barMs })
}

async function liveInWaves(runs: number, seed: number): Promise<Result[]> {
  const results: Result[] = []
  for (const wave of waves) {
    const names = cells.filter(({ dependency }) => wave.includes(dependency))
    results.push(await live({ names, runs, seed }))
  }
  return results
}

/** The bugs that nobody would have noticed. */
async function notFound(planted: readonly ClosedBug[], seed: number): Promise<ClosedBug[]> {
  const missed: ClosedBug[] = []
  for (const bug of planted) {
    const { names, runs } = whereFound(bug)
    const { tallies, failOpen } = await live({ names, runs, seed, bug })
    const ownMs = Math.max(...tallies.map((tally) => tally.ownMs))
    const isFound = bugs[bug] === 'fail-open' ? failOpen.length > 0 : ownMs > barMs
    console.log(`closed: planted "${bug}": ${failOpen.length} fail-open, latest ${Math.round(ownMs)} ms`)
    if (!isFound) missed.push(bug)
  }
  return missed
}

function verdict(
  results: readonly Result[],
  { missed, planted, bar }: { missed: readonly string[]; planted: number; bar: number },
): Awaited<ReturnType<Measurement>> {
  const tallies = results.flatMap((one) => one.tallies)
  const failOpen = results.flatMap((one) => one.failOpen)
  const others = results.flatMap((one) => one.others)
  const deaths = results.reduce((sum, one) => sum + one.deaths, 0)
  printTable(tallies)
  for (const reason of withoutMeaning) console.log(`closed: not tried, because ${reason}`)
  for (const what of failOpen.slice(0, 20)) console.log(`closed: FAIL-OPEN ${what}`)
  for (const what of others.slice(0, 20)) console.log(`closed: FAULT ${what}`)
  for (const bug of missed) console.log(`closed: planted and not found: ${bug}`)
  if (deaths > 0)
    for (const one of results) for (const text of one.errors.slice(-2)) console.log(`closed: a gateway said: ${text}`)
  const latestMs = Math.max(...tallies.map((tally) => tally.latestMs))
  const ownMs = Math.max(...tallies.map((tally) => tally.ownMs))
  const total = tallies.reduce((sum, { runs }) => sum + runs, 0)
  const least = Math.min(...tallies.map(({ runs }) => runs))
  const faults = failOpen.length + others.length + deaths
  const isRefusedInWords = tallies.every(({ wordless }) => wordless === 0)
  return {
    reached: faults === 0 && missed.length === 0 && ownMs <= bar && isRefusedInWords,
    figure:
      `closed: ${tallies.length} cells, at least ${least} runs each (${total} in all): ${failOpen.length} fail-open, ` +
      `${others.length + deaths} other faults; latest answer ${(ownMs / 1_000).toFixed(2)} s after its deadline (bar ${bar / 1_000} s), ` +
      `${(latestMs / 1_000).toFixed(2)} s with what this machine held it up; ` +
      `${planted - missed.length} of ${planted} planted bugs found`,
  }
}

/** The cells in which a bug shows. */
function whereFound(bug: ClosedBug): { readonly names: readonly CellName[]; readonly runs: number } {
  switch (bug) {
    case 'trusting':
      return { names: [{ dependency: 'database', way: 'hanging' }], runs: 12 }
    case 'unverified':
      return { names: [{ dependency: 'identity provider', way: 'down' }], runs: 4 }
    case 'own-clock':
      return { names: [{ dependency: 'clock', way: 'a day behind' }], runs: 2 }
    case 'patient':
      return { names: [{ dependency: 'database', way: 'hanging' }], runs: 4 }
  }
}

interface Result {
  readonly tallies: readonly Tally[]
  readonly failOpen: readonly string[]
  readonly others: readonly string[]
  readonly deaths: number
  readonly errors: readonly string[]
}

interface LifeOptions {
  readonly names: readonly CellName[]
  readonly runs: number
  readonly seed: number
  readonly bug?: ClosedBug
}

async function live({ names, runs, seed, bug }: LifeOptions): Promise<Result> {
  const chance = seededRandom(seed + 1)
  const house = new House({ chance: (most) => chance.int(most) })
  const admitted: string[] = []
  const lost: string[] = []
  try {
    await house.open()
    const all = await house.cellsOf(names, (name) => cells.findIndex((one) => nameOf(one) === nameOf(name)), bug)
    const tallies = await Promise.all(
      all.map(async (cell) => {
        const tally = newTally(cell)
        const random = seededRandom(seed + 100 + cell.index)
        for (let number = 0; number < runs; number++) {
          const plan = planOf(cell, number, random, bug)
          const outcome = await runOnce(house, cell, plan, random)
          count(tally, outcome)
          for (const what of outcome.admitted) admitted.push(`${tally.name}: ${what}`)
          if (process.env.ASSENT_PROOF_TELL !== undefined) tellRun(tally, outcome)
          if (outcome.lost === undefined) continue
          lost.push(`the gateway of ${tally.name} did not come back: ${outcome.lost}`)
          break
        }
        return tally
      }),
    )
    const { failOpen, others } = await judged(house)
    const told = (fault: { invariant: string; what: string }) => `${fault.invariant}: ${fault.what}`
    for (const tally of tallies) {
      const index = cells.findIndex((one) => nameOf(one) === tally.name)
      tally.failOpen =
        failOpen.filter(({ what }) => what.includes(`t${index}-`)).length +
        admitted.filter((what) => what.startsWith(tally.name)).length
    }
    const { deaths, errors } = house
    return {
      tallies,
      failOpen: [...failOpen.map(told), ...admitted],
      others: [...others.map(told), ...lost],
      deaths,
      errors,
    }
  } finally {
    await house.close()
  }
}

/** Every moment, client, server and place comes up; which go together is left to chance, and to the seed. */
function planOf(cell: Cell, number: number, random: SeededRandom, bug: ClosedBug | undefined): Plan {
  const minds: readonly Mind[] = bug === undefined ? ['accept', 'accept', 'silent', 'decline'] : ['silent']
  const client = (['2026-07-28', '2025-11-25'] as const)[(number + cell.index) % 2] ?? '2026-07-28'
  const isPlanted = bug !== undefined
  return {
    record: {
      ticket: `t${cell.index}-${number}-${random.int(2 ** 30).toString(36)}`,
      principal: cell.principal,
      client: bug === 'own-clock' ? '2026-07-28' : client,
      server: isPlanted ? 'new' : random.pick(['old', 'new', 'sdk']),
      asked: bug === 'own-clock' ? 'client' : isPlanted ? 'inbox' : random.pick(['client', 'inbox']),
    },
    moment:
      bug === 'patient'
        ? 'before the call'
        : isPlanted
          ? 'when it is asked'
          : (moments[(number + cell.index) % moments.length] ?? moments[0]),
    mind: random.pick(minds),
    isConnected: random.next() < 0.7,
  }
}
