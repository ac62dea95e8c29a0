// Measures the store: what its own code costs on top of the database, and what a million open asks cost.
//
// Two questions, each answered by a ratio within one run, because absolute figures belong to one machine. How many asks
// are settled a second, durably and with audit, against pgbench sending the same statements? How long do a settle and an
// inbox page take with a million open asks, against a thousand?
import type { Measurement } from '../scripts/measurement.ts'
import { say, whole } from './store-figures.part.ts'
import { inFreshSchema } from './store-place.part.ts'
import { scale } from './store-scale.part.ts'
import { onSqlite } from './store-sqlite.part.ts'
import { type RaceResult, race, sayDurability } from './store-throughput.part.ts'

/** Quick runs beside other work on two shared cores: its bars find a broken store, not a slower one. */
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
      `quick form, looser bars: throughput at least ${throughputLeast}, scale at most ${scaleMost} (full form: ${usual})`,
    )
  }
  const isDurable = await inFreshSchema(sayDurability)

  const headline = await race({ title: '64 tenants', tenants: 64, connections: 8, callers: 8, ...size })
  if (!quick) await otherRaces()
  const { settleRatio, listRatio, worstList } = await scale({ few: 1_000, seed, ...size })
  await onSqlite({ ...size.sqlite, pages: size.pages })

  const isFast = headline.ratio >= throughputLeast
  const isFlat = settleRatio <= scaleMost && listRatio <= scaleMost
  if (!isDurable) say('not durable: fsync or synchronous_commit is off, so the figures say nothing')
  if (!isFast) say(`throughput is short of ${throughputLeast}: ${headline.limit}`)
  if (!isFlat) say(`scale is over ${scaleMost}: settle ×${settleRatio.toFixed(2)}, worst list "${worstList}"`)
  return {
    reached: isDurable && isFast && isFlat,
    figure: figureOf(headline, { settleRatio, listRatio }, { throughputLeast, scaleMost, many: size.many }),
  }
}

/** Reported, not judged: more callers than connections, and one tenant whose chain all must wait for. */
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
