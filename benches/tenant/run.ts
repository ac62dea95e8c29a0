// Measures whether the asks of one tenant wait for each other: one tenant against sixteen, with the same callers and connections.
//
// Twice: with commits that only the local disk delays, and with a synchronous standby behind a proxy that adds 5 ms to each commit,
// so that anything held until commit costs throughput. Ratios within one run, because absolute figures depend on the machine.
// Then 300 requests at once, in one tenant with the slow standby: none may fail because it waited too long.

import { type Goal, isMet, type Measurement } from '../../scripts/measurement.ts'
import { postgresUrl } from '../../test-kit/postgres.ts'
import { ReplicatedPostgres } from '../../test-kit/replicated-postgres.ts'
import { median, whole } from '../store/figures.ts'
import { type Burst, type Load, onTenants, type TenantLoad } from './load.ts'

const manyTenants = 16
const commitDelayMs = 5
const atOnce = 300

/** The quick form runs on a busy machine: its limit finds a lock that a tenant shares, which leads to 0.1 to 0.4. */
const sizes = {
  full: { turns: 15, turnMs: 2_500, warmUpMs: 3_000, ratioLeast: 0.8 },
  quick: { turns: 5, turnMs: 700, warmUpMs: 500, ratioLeast: 0.5 },
}

interface Compared {
  readonly one: number
  readonly many: number
  readonly ratio: number
}

export const run: Measurement = async ({ quick }) => {
  const size = quick ? sizes.quick : sizes.full
  const { ratioLeast } = size
  const local = await onTenants(postgresUrl, async (load) => compare('local commits', load, size))

  const cluster = await ReplicatedPostgres.start('tenant', commitDelayMs)
  try {
    return await onTenants(cluster.url, async (load) => {
      say(`an empty commit takes ${(await load.commitMs()).toFixed(1)} ms with the standby`)
      const slow = await compare('synchronous standby', load, size)
      const burst = await load.atOnce(atOnce)
      sayBurst(burst)
      const goals: Goal[] = [
        { what: 'one tenant, times sixteen', value: local.ratio, unit: '', least: ratioLeast },
        { what: 'one tenant, times sixteen, synchronous standby', value: slow.ratio, unit: '', least: ratioLeast },
        {
          what: `of ${atOnce} requests at once, refused because of a timeout`,
          value: burst.timeouts,
          unit: '',
          most: 0,
        },
      ]
      const of = ({ one, many, ratio }: Compared) =>
        `${whole(one)} against ${whole(many)}/s (ratio ${ratio.toFixed(2)} ${ratio >= ratioLeast ? '' : 'not '}≥ ${ratioLeast})`
      const figure =
        `tenant: one against ${manyTenants} tenants: ${of(local)}; with ${commitDelayMs} ms per commit ${of(slow)}; ` +
        `${atOnce} requests at once: ${burst.timeouts} refused because of a timeout`
      return { reached: goals.every(isMet), goals, figure }
    })
  } finally {
    await cluster.remove()
  }
}

/**
 * In short turns, so that both have the same share of whatever else the machine does. The ratio is the median of the ratios of
 * neighbouring turns: the load of other programs changes from turn to turn.
 */
async function compare(
  title: string,
  load: TenantLoad,
  { turns, turnMs, warmUpMs }: { turns: number; turnMs: number; warmUpMs: number },
): Promise<Compared> {
  const rates: Record<'one' | 'many', Load[]> = { one: [], many: [] }
  await load.decide(manyTenants, warmUpMs)
  await load.decide(1, warmUpMs)
  for (let turn = 0; turn < turns; turn++) {
    const order = turn % 2 === 0 ? (['one', 'many'] as const) : (['many', 'one'] as const)
    for (const which of order) rates[which].push(await load.decide(which === 'one' ? 1 : manyTenants, turnMs))
  }
  const rateOf = (all: readonly Load[]) => median(all.map(({ perSecond }) => perSecond))
  const [one, many] = [rateOf(rates.one), rateOf(rates.many)]
  for (const [name, all] of [['one tenant', rates.one] as const, [`${manyTenants} tenants`, rates.many] as const]) {
    const p99Ms = median(all.map((each) => each.p99Ms))
    say(
      `${title}, ${name}: ${whole(rateOf(all))} decisions/s, p99 of raising and answering ${whole(p99Ms)} ms; turns ${all.map(({ perSecond }) => whole(perSecond)).join(' ')}`,
    )
  }
  const ratios = rates.one.map(({ perSecond }, turn) => perSecond / (rates.many[turn]?.perSecond ?? Number.NaN))
  say(
    `${title}: ratio of the medians ${(one / many).toFixed(2)}; of each turn ${ratios.map((each) => each.toFixed(2)).join(' ')}`,
  )
  return { one, many, ratio: median(ratios) }
}

function sayBurst({ tookMs, timeouts, slowestMs }: Burst): void {
  say(
    `${atOnce} requests at once in one tenant: ${timeouts} refused because of a timeout, the slowest took ${whole(slowestMs)} ms, all ${whole(tookMs)} ms`,
  )
}

function say(line: string): void {
  console.log(`tenant: ${line}`)
}
