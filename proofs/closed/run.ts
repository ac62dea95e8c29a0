// Proof: when any dependency fails in any way, gates fail closed and their callers get an error in time.
//
// A cell is a dependency (database, NATS, identity provider, server, clock) and a failure; in each run the failure starts
// at another moment of a gated call. Clients and servers are of both generations, people answer in the client or in an
// inbox, one of the servers has a gate of the SDK. ASSENT_PROOF_RUNS sets the number of runs per cell.

import type { Measurement } from '../../scripts/measurement.ts'
import { type SeededRandom, seededRandom } from '../../test-kit/random.ts'
import { moments, type PersonBehaviour, type Plan, runOnce } from './attempt.ts'
import { bugs, type ClosedBug } from './bugs.ts'
import { type CellName, cells, nameOf, waves, withoutMeaning } from './cells.ts'
import { judged } from './judge.ts'
import { count, newTally, printRun, printTable, type Tally } from './tally.ts'
import { type Cell, TestEnv } from './test-env.ts'

/** How long after its deadline a gate may take to answer; longer in the quick form, where all cells of a wave run at once. */
const barMs = 2_000
const quickBarMs = 6_000

export const run: Measurement = async ({ quick, seed }) => {
  const runs = Number(process.env.ASSENT_PROOF_RUNS ?? (quick ? 2 : 24))
  const planted = quick ? (['own-clock'] as const) : (Object.keys(bugs) as ClosedBug[])
  // Planted bugs run in separate environments.
  const [results, missed] = await Promise.all([runInWaves(runs, seed), notFound(planted, seed)])
  return verdict(results, { missed, planted: planted.length, bar: quick ? quickBarMs : barMs })
}

async function runInWaves(runs: number, seed: number): Promise<Result[]> {
  const results: Result[] = []
  for (const wave of waves) {
    const names = cells.filter(({ dependency }) => wave.includes(dependency))
    results.push(await runCells({ names, runs, seed }))
  }
  return results
}

/** The planted bugs that the proof did not find. */
async function notFound(planted: readonly ClosedBug[], seed: number): Promise<ClosedBug[]> {
  const missed: ClosedBug[] = []
  for (const bug of planted) {
    const { names, runs } = whereFound(bug)
    const { tallies, failOpen } = await runCells({ names, runs, seed, bug })
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
    for (const one of results)
      for (const text of one.errors.slice(-2)) console.log(`closed: stderr of a gateway: ${text}`)
  const latestMs = Math.max(...tallies.map((tally) => tally.latestMs))
  const ownMs = Math.max(...tallies.map((tally) => tally.ownMs))
  const total = tallies.reduce((sum, { runs }) => sum + runs, 0)
  const least = Math.min(...tallies.map(({ runs }) => runs))
  const faults = failOpen.length + others.length + deaths
  const everyRefusalHasReason = tallies.every(({ wordless }) => wordless === 0)
  return {
    reached: faults === 0 && missed.length === 0 && ownMs <= bar && everyRefusalHasReason,
    figure:
      `closed: ${tallies.length} cells, at least ${least} runs each (${total} in all): ${failOpen.length} fail-open, ` +
      `${others.length + deaths} other faults; latest answer ${(ownMs / 1_000).toFixed(2)} s after its deadline (bar ${bar / 1_000} s), ` +
      `${(latestMs / 1_000).toFixed(2)} s including stalls of this machine; ` +
      `${planted - missed.length} of ${planted} planted bugs found`,
  }
}

/** The cells in which a bug has an effect. */
function whereFound(bug: ClosedBug): { readonly names: readonly CellName[]; readonly runs: number } {
  switch (bug) {
    case 'approve-on-error':
      return { names: [{ dependency: 'database', way: 'down' }], runs: 12 }
    case 'accept-unverified-tokens':
      return { names: [{ dependency: 'identity provider', way: 'down' }], runs: 4 }
    case 'own-clock':
      return { names: [{ dependency: 'clock', way: 'a day behind' }], runs: 2 }
    case 'wait-for-store':
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

interface RunOptions {
  readonly names: readonly CellName[]
  readonly runs: number
  readonly seed: number
  readonly bug?: ClosedBug
}

async function runCells({ names, runs, seed, bug }: RunOptions): Promise<Result> {
  const chance = seededRandom(seed + 1)
  const testEnv = new TestEnv({ chance: (most) => chance.int(most) })
  const admitted: string[] = []
  const lost: string[] = []
  try {
    await testEnv.open()
    const all = await testEnv.cellsOf(names, (name) => cells.findIndex((one) => nameOf(one) === nameOf(name)), bug)
    const tallies = await Promise.all(
      all.map(async (cell) => {
        const tally = newTally(cell)
        const random = seededRandom(seed + 100 + cell.index)
        for (let number = 0; number < runs; number++) {
          const plan = planOf(cell, number, random, bug)
          const outcome = await runOnce(testEnv, cell, plan, random)
          count(tally, outcome)
          for (const what of outcome.admitted) admitted.push(`${tally.name}: ${what}`)
          if (process.env.ASSENT_PROOF_VERBOSE !== undefined) printRun(tally, outcome)
          if (outcome.lost === undefined) continue
          lost.push(`the gateway of ${tally.name} did not recover: ${outcome.lost}`)
          break
        }
        return tally
      }),
    )
    const { failOpen, others } = await judged(testEnv)
    const describe = (fault: { invariant: string; what: string }) => `${fault.invariant}: ${fault.what}`
    for (const tally of tallies) {
      const index = cells.findIndex((one) => nameOf(one) === tally.name)
      tally.failOpen =
        failOpen.filter(({ what }) => what.includes(`t${index}-`)).length +
        admitted.filter((what) => what.startsWith(tally.name)).length
    }
    const { deaths, errors } = testEnv
    return {
      tallies,
      failOpen: [...failOpen.map(describe), ...admitted],
      others: [...others.map(describe), ...lost],
      deaths,
      errors,
    }
  } finally {
    await testEnv.close()
  }
}

/** Every moment, client, server and surface occurs; the combinations are random and depend on the seed. */
function planOf(cell: Cell, number: number, random: SeededRandom, bug: ClosedBug | undefined): Plan {
  const behaviours: readonly PersonBehaviour[] =
    bug === undefined ? ['accept', 'accept', 'silent', 'decline'] : ['silent']
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
      bug === 'wait-for-store'
        ? 'before the call'
        : isPlanted
          ? 'when it is asked'
          : (moments[(number + cell.index) % moments.length] ?? moments[0]),
    behaviour: random.pick(behaviours),
    isConnected: random.next() < 0.7,
  }
}
