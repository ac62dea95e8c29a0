// Proof: of all actors who try to end an ask at the same moment exactly one succeeds, and all get the same outcome.
//
// Three processes share one database. For each contest the supervisor raises an ask and gives two to thirty-two actors to
// the processes: approve, decline, expire, withdraw, some of them twice. Afterwards the tables and the audit log are read
// with plain SQL and compared with the replies to every actor.
//
// Expiring needs a deadline inside the contest. In most such contests it lies between two clocks, as with replicas that
// disagree: then it competes the same way on a slow machine as on a fast one. In the rest it is a real second by the
// database's own clock, and the actors wait for it.

import type { TreeState } from '../../packages/core/src/index.ts'
import type { Store } from '../../packages/store/src/index.ts'
import type { Measurement } from '../../scripts/measurement.ts'
import { seededRandom } from '../../test-kit/random.ts'
import { retried } from '../../test-kit/retried.ts'
import { inLanes, openSupervisorStores, raceOnce } from './contest.ts'
import { faultsOf, type Raced } from './judge.ts'
import { type Contest, type Deadline, planContest, tenants } from './plan.ts'
import { logProblem } from './record.ts'
import { readTables } from './tables.ts'
import { Tally } from './tally.ts'
import { freshPostgres, freshSqlite, openStore, type TestDb } from './test-db.ts'
import { WorkerPool } from './worker-pool.ts'

// Several contests at once keep the machine busy while one of them waits for a commit.
const lanes = 6
const lanesAtDeadlines = 8
const readingLanes = 16
const signEvery = 100

/** The end of a log during the race. */
type Signed = TreeState & { readonly tenant: string }

export const run: Measurement = async ({ quick, seed }) => {
  const contests = quick ? 300 : 10_000
  const onPostgres = await raceOn(await freshPostgres(), contests, seed)
  const onSqlite = await raceOn(await freshSqlite(), contests, seed + 1)
  return {
    reached: [onPostgres, onSqlite].every(({ isSound, isAlive }) => isSound && isAlive),
    figure: figureOf(onPostgres, onSqlite),
  }
}

function figureOf(...tallies: readonly Tally[]): string {
  const sum = (of: (tally: Tally) => number) =>
    tallies.reduce((total, tally) => total + of(tally), 0).toLocaleString('en')
  const each = tallies.map(({ contests, engine }) => `${contests.toLocaleString('en')} ${engine}`).join(', ')
  const strays = tallies.reduce((total, tally) => total + tally.with('miscounted') + tally.with('misrecorded'), 0)
  return [
    `race: ${sum(({ contests }) => contests)} contests (${each})`,
    `${sum(({ actors }) => actors)} actors`,
    `${sum((tally) => tally.with('two outcomes'))} with two outcomes`,
    `${sum((tally) => tally.with('different replies'))} with different replies`,
    ...(strays === 0 ? [] : [`${strays} miscounted or misrecorded`]),
    tallies.every(({ brokenChains }) => brokenChains === 0) ? 'logs verify' : 'logs do not verify',
  ].join(', ')
}

async function raceOn(testDb: TestDb, count: number, seed: number): Promise<Tally> {
  const { address } = testDb
  const tally = new Tally(address.engine)
  const random = seededRandom(seed)
  const plans = Array.from({ length: count }, (_, number) => planContest(random, number, deadlineOf(number)))
  const stores = await openSupervisorStores(address)
  const pool = await WorkerPool.start(address)
  const signed: Signed[] = []
  let done = 0
  const raceAndSign = async (contest: Contest) => {
    const raced = await raceOnce(stores, pool, contest)
    // During the race, because entries are then committed while others are added to the log.
    if (++done % signEvery === 0) signed.push(await sign(stores.database, contest.draft.tenant))
    return raced
  }
  try {
    const startedAtMs = performance.now()
    const [atDeadlines, rest] = await Promise.all([
      inLanes(
        lanesAtDeadlines,
        plans.filter(({ deadline }) => deadline === 'during'),
        raceAndSign,
      ),
      inLanes(
        lanes,
        plans.filter(({ deadline }) => deadline !== 'during'),
        raceAndSign,
      ),
    ])
    tally.took((performance.now() - startedAtMs) / 1000)
    await judge(testDb, [...atDeadlines, ...rest], signed, tally)
  } finally {
    await pool.stop()
    await Promise.all(Object.values(stores).map((store) => store.close()))
    await testDb.remove()
  }
  tally.print()
  return tally
}

/** Three percent wait for a real deadline, which takes a second each; half of the rest have one between clocks. */
function deadlineOf(number: number): Deadline {
  if (number % 100 < 3) return 'during'
  return number % 2 === 0 ? 'between' : 'far'
}

async function sign(store: Store, tenant: string): Promise<Signed> {
  return { tenant, ...(await retried(() => store.audit.integrate(tenant))) }
}

async function judge(testDb: TestDb, all: readonly Raced[], signed: readonly Signed[], tally: Tally): Promise<void> {
  const fresh = await openStore(testDb.address)
  try {
    for (const tenant of tenants) {
      const heads = [...signed.filter((head) => head.tenant === tenant), await sign(fresh, tenant)]
      const tables = await readTables(testDb, tenant)
      const problem = logProblem(tenant, tables, heads)
      if (problem !== undefined) tally.chainBroken(tenant, problem)
      const here = all.filter(({ draft }) => draft.tenant === tenant)
      await inLanes(readingLanes, here, async (raced) => {
        const { id } = raced.draft
        tally.add(raced, faultsOf(raced, tables.kept(id), await retried(() => fresh.asks.read(tenant, id))))
      })
    }
  } finally {
    await fresh.close()
  }
}
