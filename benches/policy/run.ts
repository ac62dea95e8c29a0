// Measures policy decisions: a usual set of policies, and 1,000 policies with 1,000 tools.
//
// The list of a person is measured when nothing is cached, and from the cache.

import type { JsonValue } from '@assent/core'
import { Policies, type PolicyCall, type PolicySettings, type ShortPolicy } from '@assent/policy'
import { type Goal, isMet, type Measurement } from '../../scripts/measurement.ts'
import { aShortPolicy } from '../../test-kit/policy/short-policy.ts'
import { quantile } from '../store/figures.ts'

const person = {
  principal: 'https://login.example#ann',
  groups: ['engineers', 'release-managers'],
  roles: ['deployer'],
}
const schema: JsonValue = {
  type: 'object',
  properties: { env: { type: 'string' }, amount: { type: 'number' }, items: { type: 'array' } },
}

/** The quick form runs on a busy machine: its limits find a decision that is slow by nature, not a slower one. */
const sizes = {
  full: { decisions: 10_000, usualMs: 0.3, largeMs: 2, listMs: 20 },
  quick: { decisions: 500, usualMs: 3, largeMs: 20, listMs: 200 },
} as const
const lists = 50
const largeCount = 1_000

export const run: Measurement = async ({ quick }) => {
  const size = sizes[quick ? 'quick' : 'full']
  const usual = await opened(usualPolicies())
  const usualMs = medianOf(size.decisions, (index) =>
    usual.decide(callOf(index % 2, { env: index % 2 ? 'test' : 'live' })),
  )
  const large = await opened(largePolicies())
  const decide = (index: number) => large.decide(callOf(index % largeCount, { env: 'production', amount: index }))
  const firstAt = performance.now()
  for (let index = 0; index < largeCount; index++) decide(index)
  const firstMs = (performance.now() - firstAt) / largeCount
  const largeMs = medianOf(size.decisions, decide)
  const coldMs = listMs(large)
  const cachedMs = quantile(
    Array.from({ length: lists }, () => listMs(large)),
    0.5,
  )
  console.log(`policy: ${usualMs.toFixed(3)} ms per decision with 5 policies`)
  console.log(
    `policy: ${largeMs.toFixed(3)} ms with 1,000 policies and 1,000 tools; ${firstMs.toFixed(2)} ms for the first call of a tool`,
  )
  console.log(
    `policy: ${cachedMs.toFixed(1)} ms per list of 1,000 tools from the cache; ${coldMs.toFixed(0)} ms for the first list of a group`,
  )
  const goals: Goal[] = [
    { what: 'a decision with 5 policies, median', value: usualMs, unit: 'ms', most: size.usualMs },
    { what: 'a decision with 1,000 policies and 1,000 tools, median', value: largeMs, unit: 'ms', most: size.largeMs },
    { what: 'a list of 1,000 tools from the cache, median', value: cachedMs, unit: 'ms', most: size.listMs },
  ]
  const figure =
    `policy: ${usualMs.toFixed(3)} ms per decision (at most ${size.usualMs}), ${largeMs.toFixed(3)} ms with 1,000 policies ` +
    `and 1,000 tools (at most ${size.largeMs}), ${cachedMs.toFixed(1)} ms per list from the cache (at most ${size.listMs})`
  return { reached: goals.every(isMet), goals, figure }
}

/** Milliseconds of one decision at the median. Each is timed by itself: few of them are interrupted by other programs. */
function medianOf(decisions: number, decide: (index: number) => unknown): number {
  for (let index = 0; index < largeCount; index++) decide(index)
  const times = Array.from({ length: decisions }, (_, index) => {
    const startedAt = performance.now()
    decide(index)
    return performance.now() - startedAt
  })
  return quantile(times, 0.5)
}

function listMs(policies: Policies): number {
  const startedAt = performance.now()
  for (let tool = 0; tool < largeCount; tool++) policies.neverAllowed(person, { kind: 'tools', ...named(tool) })
  return performance.now() - startedAt
}

function named(tool: number): { server: string; name: string } {
  return { server: `server-${tool % 20}`, name: `tool_${tool}` }
}

function callOf(tool: number, args: PolicyCall['arguments']): PolicyCall {
  const time = { hour: 10, minute: 0, weekday: 2, date: '2026-11-17' }
  return { kind: 'tools', ...named(tool), arguments: args, schema, person, claims: { client: 'bench' }, time }
}

function usualPolicies(): ShortPolicy[] {
  const ask = { ask: { ask: '2 of release', exclude: 'requester', within: '30m' } }
  return [
    aShortPolicy('production', ask, { when: [{ path: ['env'], comparison: { is: 'text', anyOf: ['production'] } }] }),
    aShortPolicy('destructive', { ask: { ask: 'requester' } }, { annotations: { destructive: true } }),
    aShortPolicy('no debugging', 'deny', { targets: ['*/debug_*'] }),
    aShortPolicy('engineers', 'allow', { people: ['group:engineers'] }),
    aShortPolicy('everything else', 'allow', { targets: ['server-0/*'] }),
  ]
}

function largePolicies(): ShortPolicy[] {
  const tools = Array.from({ length: largeCount - 1 }, (_, index) => {
    const { server, name } = named(index)
    const when: ShortPolicy['when'] = [
      { path: ['env'], comparison: { is: 'text', anyOf: ['production'] } },
      { path: ['amount'], comparison: { is: 'above', number: 100 } },
    ]
    return aShortPolicy(`policy ${index}`, index % 3 === 0 ? 'deny' : { ask: { ask: 'release' } }, {
      targets: [`${server}/${name}`],
      when,
    })
  })
  return [...tools, aShortPolicy('everything else', 'allow')]
}

async function opened(policies: readonly ShortPolicy[]): Promise<Policies> {
  const settings: PolicySettings = {
    shortForm: policies.map((one, index) => ({ policy: one, place: { line: index + 1, column: 1 } })),
    cedarFiles: [],
    groups: { release: ['group:release-managers'] },
    timeZone: 'UTC',
    issuer: 'https://login.example',
  }
  const startedAt = performance.now()
  const made = await Policies.open(settings)
  if (!(made instanceof Policies)) throw new Error(`The policies are refused: ${JSON.stringify(made)}`)
  console.log(`policy: ${policies.length} policies opened in ${(performance.now() - startedAt).toFixed(0)} ms`)
  return made
}
