import { expect, test } from 'vitest'
import { randomFrom } from '../../benches/relay/latency.ts'
import { simulateDay } from '../../benches/scale/day.ts'
import { type Costs, demandOf, type Machines, resources } from '../../benches/scale/demand.ts'
import { breakingOrder, failures, situationIn, worstOfDay } from '../../benches/scale/failures.ts'
import { needsOf } from '../../benches/scale/machines.ts'
import { replaced } from '../../benches/scale/page.ts'
import { busiestShare, logStepsPerSecond, tenantGroups } from '../../benches/scale/tenants.ts'

const costs: Costs = {
  ask: {
    rows: 6,
    keptBytes: 5_000,
    auditBytes: 2_000,
    logBytes: 8_000,
    nodeUs: 500,
    databaseUs: 800,
    perSecond: 1_000,
  },
  log: { stepNodeUs: 500, stepDatabaseUs: 300, stepLogBytes: 7_000, noteLogBytes: 1_000, entriesPerSecond: 20_000 },
}
const groups = tenantGroups()
const machines: Machines = { databases: 20, gateways: 60, signalServers: 3 }
const spread = { groups, busiest: 0.06 }
/** Numbers between 0 and 1 that are the same in every run. */
const random = randomFrom(1)

test('[HOUSE-26] the tenants of the scale calculation are all counted, and their shares add up to one', () => {
  expect(groups.reduce((sum, { tenants }) => sum + tenants, 0)).toBe(1_000_000)
  expect(groups.reduce((sum, { tenants, share }) => sum + tenants * share, 0)).toBeCloseTo(1, 9)
  expect(groups.every(({ share }, at) => at === 0 || share <= (groups[at - 1]?.share ?? 0))).toBe(true)
})

test('[HOUSE-26] a database has at least the mean share of asks, and all of them if it is the only one', () => {
  expect(busiestShare(groups, 1, random)).toBeCloseTo(1, 9)
  expect(busiestShare(groups, 10, random)).toBeGreaterThan(0.1)
})

test('[HOUSE-26] a log is extended at most once per interval, and at most once per entry', () => {
  const busy = [{ tenants: 4, share: 0.25 }]
  expect(logStepsPerSecond(busy, 1e6, 0.5)).toBeCloseTo(8, 6)
  expect(logStepsPerSecond(busy, 0.001, 0.5)).toBeCloseTo(0.001, 6)
})

test('[HOUSE-26] no resource is needed less during a failure than without one, except what has failed', () => {
  const minute = { asksPerSecond: 20_000, open: 2_000_000, pages: 500_000 }
  const usual = demandOf(costs, machines, spread, situationIn('none', minute, machines.gateways))
  for (const failure of failures) {
    const demand = demandOf(costs, machines, spread, situationIn(failure, minute, machines.gateways))
    const lower = resources.filter((resource) => demand[resource] < usual[resource])
    // Fewer gateways get fewer signals.
    const expected = failure === 'NATS is lost' || failure === 'a zone of gateways is lost' ? ['NATS messages'] : []
    expect(lower, failure).toEqual(expected)
  }
})

test('[HOUSE-26] the machines that are planned suffice for the day without a failure', () => {
  const needs = needsOf(costs, groups, random)
  const day = simulateDay(needs.meanPerSecond, random)
  const demand = worstOfDay('none', day, costs, needs, needs.spread)
  expect(Math.max(...Object.values(demand))).toBeLessThan(1)
  expect(needs.databases).toBeGreaterThan(1)
})

test('[HOUSE-26] the resource that breaks first is the one of which the largest share is used', () => {
  const none = demandOf(
    costs,
    machines,
    spread,
    situationIn('none', { asksPerSecond: 1, open: 1, pages: 1 }, machines.gateways),
  )
  const worst = new Map([
    ['none', { ...none, 'gateway memory': 0.5 }],
    ['NATS is lost', { ...none, 'gateway processors': 0.8 }],
  ] as const)
  const [first, second] = breakingOrder(worst)
  expect(first).toMatchObject({ resource: 'gateway processors', failure: 'NATS is lost', atTimes: 1.25 })
  expect(second).toMatchObject({ resource: 'gateway memory', failure: 'none', atTimes: 2 })
})

test('[HOUSE-26] a block of the page is replaced between its marks, and a missing mark is an error', () => {
  const text = 'a\n<!-- x: written by npm run bench -- scale -->\n\nold\n\n<!-- end of x -->\nb'
  expect(replaced(text, 'x', 'new')).toBe(text.replace('old', 'new'))
  expect(() => replaced(text, 'y', 'new')).toThrow('no place for "y"')
})
