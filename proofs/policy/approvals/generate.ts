// Random policies in plain form, as the policy engine takes them, and random arguments.

import type { JsonObject, JsonValue } from '@assent/core'
import { Policies, type ShortPolicy } from '@assent/policy'
import { aShortPolicy } from '../../../test-kit/policy/short-policy.ts'
import type { SeededRandom } from '../../../test-kit/random.ts'
import type { PlainAsk, PlainFactor, PlainPolicies } from './rules.ts'

export const people = ['ann', 'bob', 'cleo', 'dave', 'eve', 'finn', 'gus'] as const
export const groups = ['release', 'security', 'directors'] as const

const minuteMs = 60_000
const names = [...groups, ...groups, ...groups].map((group) => `group:${group}`)
const approvers = [...names, ...people.slice(0, 4).map((person) => `person:${person}`), 'requester']

export function generatePolicies(random: SeededRandom): PlainPolicies {
  const asks = Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, (_, index) =>
    generateAsk(random, `ask ${index}`),
  )
  const [first, ...others] = asks
  const isCovered = random.next() < 0.9
  return {
    asks: first !== undefined && isCovered ? [{ ...first, isConditional: false }, ...others] : asks,
    deniesStaging: random.next() < 0.3,
    deniesAll: false,
  }
}

function generateAsk(random: SeededRandom, name: string): PlainAsk {
  const withinMs = random.pick([10, 30, 120]) * minuteMs
  return {
    name,
    anyOf: Array.from({ length: random.pick([1, 1, 1, 2, 2, 3]) }, () =>
      Array.from({ length: random.pick([1, 1, 1, 2, 2]) }, () => generateFactor(random)),
    ),
    exclude: some(random, ['requester', 'requester', 'requester', 'person:bob', 'person:cleo'], 2),
    declines: random.pick([1, 1, 1, 2, 3]),
    withinMs,
    useWithinMs: random.pick([withinMs, 5 * minuteMs, 20 * minuteMs]),
    needsReason: random.next() < 0.2,
    isConditional: random.next() < 0.4,
  }
}

function generateFactor(random: SeededRandom): PlainFactor {
  return { from: some(random, approvers, 2, 1), approvals: random.pick([1, 1, 1, 2, 2, 3]) }
}

/** The policies after a reload: the same, weaker ones or stricter ones. */
export function changedPolicies(random: SeededRandom, { asks, ...policies }: PlainPolicies): PlainPolicies {
  const [first, ...others] = asks
  const same = { ...policies, asks }
  if (first === undefined) return same
  const changes: readonly (() => PlainPolicies)[] = [
    () => same,
    () => ({ ...policies, asks: [...asks, generateAsk(random, `added ${asks.length}`)] }),
    () => ({ ...policies, asks: [{ ...first, anyOf: first.anyOf.map(moreOf) }, ...others] }),
    () => ({
      ...policies,
      asks: [{ ...first, exclude: [...new Set([...first.exclude, 'requester', 'person:dave'])] }, ...others],
    }),
    () => ({ ...policies, asks: [{ ...first, needsReason: true }, ...others] }),
    () => ({ ...policies, asks: asks.map((ask) => ({ ...ask, declines: 1 })) }),
    () => ({ ...policies, asks: asks.map((ask) => ({ ...ask, useWithinMs: Math.min(ask.useWithinMs, minuteMs) })) }),
    () => ({ ...policies, asks: others }),
    () => ({ ...policies, asks: [] }),
    () => ({ ...policies, asks, deniesAll: true }),
  ]
  return random.pick(changes)()
}

function moreOf([factor, ...factors]: readonly PlainFactor[]): readonly PlainFactor[] {
  return factor === undefined ? [] : [{ ...factor, approvals: factor.approvals + 1 }, ...factors]
}

export async function opened({ asks, deniesStaging, deniesAll }: PlainPolicies): Promise<Policies> {
  const all = [
    aShortPolicy('everything else', 'allow'),
    ...asks.map(shortAsk),
    ...(deniesStaging ? [aShortPolicy('no staging', 'deny', { when: [envIs('staging')] })] : []),
    ...(deniesAll ? [aShortPolicy('closed', 'deny')] : []),
  ]
  const policies = await Policies.open({
    shortForm: all.map((policy, index) => ({ policy, place: { line: index + 1, column: 1 } })),
    cedarFiles: [],
    groups: {},
    timeZone: 'UTC',
  })
  if (!(policies instanceof Policies)) throw new Error(`Generated policies are refused: ${JSON.stringify(policies)}`)
  return policies
}

function shortAsk(ask: PlainAsk): ShortPolicy {
  const { name, anyOf, exclude, declines, withinMs, useWithinMs, needsReason, isConditional } = ask
  const factor = ({ from, approvals }: PlainFactor) => `${approvals} of ${from.join(', ')}`
  const terms = {
    ask: anyOf.map((factors) => factors.map(factor).join(' & ')).join(' | '),
    ...(exclude.length === 0 ? {} : { exclude: exclude.join(', ') }),
    declines: String(declines),
    within: `${withinMs}ms`,
    use_within: `${useWithinMs}ms`,
    ...(needsReason ? { reason: 'required' } : {}),
  }
  return aShortPolicy(name, { ask: terms }, isConditional ? { when: [envIs('production')] } : {})
}

function envIs(env: string): ShortPolicy['when'][number] {
  return { path: ['env'], comparison: { is: 'text', anyOf: [env] } }
}

/** Arguments of a call; `env` decides which policies apply. */
export function generateArguments(random: SeededRandom): JsonObject {
  const env = random.pick<JsonValue | undefined>([
    'production',
    'production',
    'production',
    'test',
    'staging',
    5,
    undefined,
  ])
  const values: readonly JsonValue[] = [
    1e21,
    -0.1,
    9_007_199_254_740_991,
    'é 😀 \u2028 "',
    '',
    null,
    [[], {}, [1, '1']],
    { b: 1, a: { z: true } },
    { __entity: { type: 'Person', id: 'ann' } },
  ]
  return {
    ...(random.next() < 0.5 ? { z: random.pick(values), a: random.pick(values) } : {}),
    ...(env === undefined ? {} : { env }),
    amount: random.int(1_000),
  }
}

/** Up to `most` different ones. */
function some<T>(random: SeededRandom, list: readonly T[], most: number, least = 0): T[] {
  const count = Math.max(least, random.int(most + 1))
  return [...new Set(Array.from({ length: count }, () => random.pick(list)))]
}
