// Measures the cost of one ask, and computes what a hundred million people and a billion asks a day would need.
//
// The cost is measured here; the assumptions are in model.ts. The limits apply to the cost of one ask, because our changes
// can affect only that.

import type { Measurement } from '../../scripts/measurement.ts'
import { randomFrom } from '../relay/latency.ts'
import { whole } from '../store/figures.ts'
import { type AskCost, costOfAsks } from './cost.ts'
import { simulateDay } from './day.ts'
import { assumed, largestTenantShare, needsOf } from './model.ts'
import { drawDay } from './plot.ts'

const manyTenants = 64
const bars = { rowsMost: 9, keptBytesMost: 12_000 }

export const run: Measurement = async ({ quick, seed }) => {
  const count = quick ? 1_000 : 20_000
  const cost = await costOfAsks(count, manyTenants)
  const oneTenant = await costOfAsks(count / 2, 1)
  sayCost(`${manyTenants} tenants`, cost)
  sayCost('one tenant, one audit chain', oneTenant)

  const needs = needsOf(cost)
  const day = simulateDay(cost, needs, randomFrom(seed))
  const mostOpen = Math.max(...day.map(({ open }) => open))
  const busiest = Math.max(...day.map(({ busyWorst }) => busyWorst))
  const peak = Math.max(...day.map(({ asksPerSecond }) => asksPerSecond))
  const share = largestTenantShare(oneTenant, needs)
  say(
    `${whole(assumed.asksPerDay)} asks a day: ${whole(needs.meanPerSecond)}/s, calculated with ${whole(needs.peakPerSecond)}/s at the peak`,
  )
  say(
    `${needs.shards} databases of ${assumed.databaseCores} cores, each with a standby, because of ${needs.shardsBecause}; ${whole(needs.logBytesPerShardSecond / 1e6)} MB/s of log each`,
  )
  say(
    `${whole(needs.watching)} open inboxes at the peak, ${whole(needs.watching / needs.gateways)} streams on each gateway`,
  )
  say(
    `${needs.gateways} gateways of ${assumed.gatewayCores} cores, ${whole(needs.gatewayBytes / 1e6)} MB each for waiting calls`,
  )
  say(`${needs.keptTb.toFixed(0)} TB for ${assumed.keptDays} days, ${needs.auditTb.toFixed(0)} TB of audit for a year`)
  say(`$${whole(needs.usdPerMonth)} a month, $${needs.usdPerMillion.toFixed(2)} per million asks`)
  say(
    `a simulated day: at most ${whole(peak)}/s, ${whole(mostOpen)} open, the busiest database ${whole(busiest * 100)} % busy`,
  )
  say(
    `breaks first: a tenant with more than ${(share * 100).toFixed(1)} % of all asks (${whole(oneTenant.perSecond)} complete asks per second on its chain)`,
  )
  if (!quick)
    await drawDay(day, `From ${whole(cost.databaseUs)} µs of database per ask, measured on two cores. Seed ${seed}.`)

  const reached = cost.rows <= bars.rowsMost && cost.keptBytes <= bars.keptBytesMost && busiest < 1
  return {
    reached,
    figure: `scale: an ask costs ${cost.rows.toFixed(1)} rows, ${whole(cost.keptBytes)} bytes and ${whole(cost.nodeUs + cost.databaseUs)} µs; a billion a day take ${needs.shards} databases and ${needs.gateways} gateways`,
  }
}

function sayCost(
  title: string,
  { rows, keptBytes, auditBytes, logBytes, nodeUs, databaseUs, perSecond }: AskCost,
): void {
  say(
    `${title}: ${whole(perSecond)} complete asks/s; each ${rows.toFixed(1)} rows, ${whole(keptBytes)} bytes kept (audit ${whole(auditBytes)}), ${whole(logBytes)} bytes of log`,
  )
  say(`  processor time: ${whole(nodeUs)} µs here, ${whole(databaseUs)} µs everything else`)
}

function say(line: string): void {
  console.log(`scale: ${line}`)
}
