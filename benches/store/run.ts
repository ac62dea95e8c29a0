// Measures the store: the overhead of its code over the database, and the cost of a million open asks.
//
// Two ratios within one run, because absolute figures depend on the machine: settles per second, durable and audited,
// compared with pgbench sending the same statements; and the time of a settle and of an inbox page with a million open
// asks, compared with a thousand.
import { type Goal, isMet, type Measurement } from '../../scripts/measurement.ts'
import { say, whole } from './figures.ts'
import { scale } from './scale.ts'
import { onSqlite } from './sqlite.ts'
import { inFreshSchema } from './test-db.ts'
import { type RaceResult, race, sayDurability } from './throughput.ts'

/** The quick form runs on a busy machine: its limits find a broken store, not a slower one. */
const bars = {
  full: { throughputLeast: 0.7, scaleMost: 1.3 },
  quick: { throughputLeast: 0.25, scaleMost: 4 },
}

const sizes = {
  full: {
    many: 1_000_000,
    pages: 300,
    settles: 900,
    turns: 5,
    turnSeconds: 3.5,
    sqlite: { asks: 100_000, settleSeconds: 5 },
  },
  quick: {
    many: 20_000,
    pages: 50,
    settles: 150,
    turns: 3,
    turnSeconds: 0.8,
    sqlite: { asks: 5_000, settleSeconds: 1 },
  },
}

export const run: Measurement = async ({ quick, seed }) => {
  const size = quick ? sizes.quick : sizes.full
  const { throughputLeast, scaleMost } = quick ? bars.quick : bars.full
  if (quick) {
    const usual = `${bars.full.throughputLeast} and ${bars.full.scaleMost}`
    say(
      `quick form, looser limits: throughput at least ${throughputLeast}, scale at most ${scaleMost} (full form: ${usual})`,
    )
  }
  const isDurable = await inFreshSchema(sayDurability)

  const headline = await race({ title: '64 tenants', tenants: 64, connections: 8, callers: 8, ...size })
  if (!quick) await otherRaces()
  const { settleRatio, listRatio, worstList } = await scale({ few: 1_000, seed, ...size })
  await onSqlite({ ...size.sqlite, pages: size.pages })

  const isFast = headline.ratio >= throughputLeast
  const isFlat = settleRatio <= scaleMost && listRatio <= scaleMost
  if (!isDurable) say('not durable: fsync or synchronous_commit is off, so the figures are meaningless')
  if (!isFast) say(`throughput is below ${throughputLeast}: ${headline.limit}`)
  if (!isFlat) say(`scale is over ${scaleMost}: settle ×${settleRatio.toFixed(2)}, worst list "${worstList}"`)
  const goals: Goal[] = [
    { what: 'settled asks, share of the bare database', value: headline.ratio, unit: '', least: throughputLeast },
    { what: 'settling beside many asks, times few', value: settleRatio, unit: '', most: scaleMost },
    { what: 'listing beside many asks, times few', value: listRatio, unit: '', most: scaleMost },
  ]
  return {
    reached: isDurable && goals.every(isMet),
    goals,
    figure: figureOf(headline, { settleRatio, listRatio }, { throughputLeast, scaleMost, many: size.many }),
  }
}

/** Reported without a limit: more callers than connections, and a single tenant. */
async function otherRaces(): Promise<void> {
  const short = { turns: 3, turnSeconds: 2.5 }
  await race({ title: '64 tenants', tenants: 64, connections: 8, callers: 32, ...short })
  await race({ title: '64 tenants', tenants: 64, connections: 16, callers: 32, ...short })
  await race({ title: 'one tenant', tenants: 1, connections: 8, callers: 8, ...short })
}

function figureOf(
  { storeRate, pgbenchRate, ratio }: RaceResult,
  { settleRatio, listRatio }: { settleRatio: number; listRatio: number },
  { throughputLeast, scaleMost, many }: { throughputLeast: number; scaleMost: number; many: number },
): string {
  const against = (value: number, isMet: boolean, bar: string) => `${value.toFixed(2)} ${isMet ? '' : 'not '}${bar}`
  const fast = against(ratio, ratio >= throughputLeast, `≥ ${throughputLeast}`)
  const flat = Math.max(settleRatio, listRatio) <= scaleMost ? `≤ ${scaleMost}` : `not ≤ ${scaleMost}`
  return (
    `store: ${whole(storeRate)} settles/s against pgbench ${whole(pgbenchRate)} (ratio ${fast}); ` +
    `settle ×${settleRatio.toFixed(2)} and list ×${listRatio.toFixed(2)} at ${whole(many)} open (${flat})`
  )
}
