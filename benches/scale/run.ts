// Measures the cost of one ask, and computes what a hundred million people and a billion asks a day would need.
//
// Measured in this run: asks in the store (cost.ts) and extending audit logs (log-cost.ts). Measured by other benches:
// measured.ts. Assumed: assumed.ts. The limits apply to the cost of one ask, because our changes can affect only that.

import { execFileSync } from 'node:child_process'
import { type Goal, isMet, type Measurement } from '../../scripts/measurement.ts'
import { randomFrom } from '../relay/latency.ts'
import { whole } from '../store/figures.ts'
import { assumed } from './assumed.ts'
import { costOfAsks } from './cost.ts'
import { simulateDay } from './day.ts'
import { type Costs, demandOf, entriesPerSecond } from './demand.ts'
import { breakingOrder, failures, situationIn, worstOfDay } from './failures.ts'
import { costOfLogs } from './log-cost.ts'
import { type Needs, needsOf } from './machines.ts'
import { type Computed, writePage } from './page.ts'
import { drawDay } from './plot.ts'
import { tenantGroups } from './tenants.ts'

const manyTenants = 64
const bars = { rowsMost: 9, keptBytesMost: 12_000 }

export const run: Measurement = async ({ quick, seed }) => {
  const count = quick ? 1_000 : 20_000
  const ask = await costOfAsks(count, manyTenants)
  const oneTenant = await costOfAsks(count / 2, 1)
  const log = await costOfLogs(quick ? 128 : 2_000, quick ? 2_000 : 50_000)
  const costs: Costs = { ask, log }
  say(
    `an ask: ${ask.rows.toFixed(1)} rows, ${whole(ask.keptBytes)} bytes (audit ${whole(ask.auditBytes)}), ${whole(ask.logBytes)} bytes of log, ` +
      `${whole(ask.nodeUs)} µs here, ${whole(ask.databaseUs)} µs in the database; ${whole(ask.perSecond)}/s of ${manyTenants} tenants, ${whole(oneTenant.perSecond)}/s of one`,
  )
  say(
    `a log: ${whole(log.stepNodeUs)} µs here and ${whole(log.stepDatabaseUs)} µs in the database to add one entry, ${whole(log.stepLogBytes)} bytes; ${whole(log.entriesPerSecond)} entries/s at once`,
  )

  const random = randomFrom(seed)
  const groups = tenantGroups()
  const needs = needsOf(costs, groups, random)
  const day = simulateDay(needs.meanPerSecond, random)
  const worst = new Map(failures.map((failure) => [failure, worstOfDay(failure, day, costs, needs, needs.spread)]))
  const computed: Computed = {
    costs,
    needs,
    mostOpen: Math.max(...day.map(({ open }) => open)),
    mostPerSecond: Math.max(...day.map(({ asksPerSecond }) => asksPerSecond)),
    worst,
    breaking: breakingOrder(worst),
    largestTenant: {
      byDatabase: oneDatabaseShare(costs, needs),
      byLog: log.entriesPerSecond / entriesPerSecond(needs.peakPerSecond),
    },
  }
  printOf(computed)
  if (!quick) {
    await drawDay(
      day,
      day.map((minute) => ({
        usual: databaseBusy('none', minute),
        failing: databaseBusy('a database fails over', minute),
      })),
      `Computed from measured costs; docs/background/scale.md lists the assumptions. Seed ${seed}.`,
    )
    await writePage(computed, execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim())
  }

  const worstShare = Math.max(...[...worst.values()].flatMap((demand) => Object.values(demand)))
  const goals: Goal[] = [
    { what: 'rows per ask', value: ask.rows, unit: '', most: bars.rowsMost },
    { what: 'stored per ask', value: ask.keptBytes, unit: 'bytes', most: bars.keptBytesMost },
    { what: 'the scarcest resource on a day with failures', value: worstShare, unit: '', most: 1 },
  ]
  const [first] = computed.breaking
  return {
    reached: goals.every(isMet),
    goals,
    figure:
      `scale: an ask costs ${ask.rows.toFixed(1)} rows, ${whole(ask.keptBytes)} bytes and ${whole(ask.nodeUs + ask.databaseUs)} µs; ` +
      `a billion a day take ${needs.databases} databases and ${needs.gateways} gateways; ${first?.resource} would break first, at ${first?.atTimes.toFixed(1)} times the load`,
  }

  function databaseBusy(failure: (typeof failures)[number], minute: (typeof day)[number]): number {
    const situation = situationIn(failure, minute, needs.gateways)
    return demandOf(costs, needs, needs.spread, situation)['database processors']
  }
}

/** The share of all asks with which one tenant uses the planned share of a database's processors. */
function oneDatabaseShare(costs: Costs, { gateways, signalServers, peakPerSecond }: Needs): number {
  const alone = { groups: [{ tenants: 1, share: 1 }], busiest: 1 }
  const minute = { asksPerSecond: peakPerSecond, open: 0, pages: 0 }
  const machines = { databases: 1, gateways, signalServers }
  const demand = demandOf(costs, machines, alone, situationIn('none', minute, gateways))
  return assumed.databaseBusyMost / demand['database processors']
}

function printOf({ needs, mostOpen, mostPerSecond, breaking, largestTenant }: Computed): void {
  say(
    `${whole(assumed.asksPerDay)} asks a day: ${whole(needs.meanPerSecond)}/s, calculated with ${whole(needs.peakPerSecond)}/s; the day has at most ${whole(mostPerSecond)}/s and ${whole(mostOpen)} open`,
  )
  say(`${needs.databases} databases of ${assumed.databaseCores} cores because of ${needs.databasesBecause}`)
  say(
    `${needs.gateways} gateways of ${assumed.gatewayCores} cores because of ${needs.gatewaysBecause}; ${needs.signalServers} NATS servers`,
  )
  say(
    `${whole(needs.keptTb)} TB for ${assumed.answerDays} days, ${whole(needs.logTb)} TB of audit log for ${assumed.logDays} days; ` +
      `$${whole(needs.usdPerMonth)} a month, $${needs.usdPerMillion.toFixed(2)} per million asks`,
  )
  for (const { resource, failure, atTimes } of breaking)
    say(
      `at ${atTimes.toFixed(2)} times the load: not enough ${resource} (${failure === 'none' ? 'no failure' : failure})`,
    )
  say(
    `one tenant: at most ${(largestTenant.byDatabase * 100).toFixed(1)} % of all asks by its database, ${(largestTenant.byLog * 100).toFixed(1)} % by its log`,
  )
}

function say(line: string): void {
  console.log(`scale: ${line}`)
}
