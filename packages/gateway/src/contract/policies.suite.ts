// A gateway with policies, and people in groups.

import type { Person } from '@assent/core'
import { compileShortForm, type PolicyCall, PolicySet, requirementOf, type ShortPolicy } from '@assent/policy'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import type { PolicyDecider } from '../call/policy/policy-gate.ts'
import type { GatewayOptions } from '../program/gateway.ts'

export const ann: Person = { principal: 'ann', groups: ['engineers', 'release'] }
export const ben: Person = { principal: 'ben', groups: ['release'] }
export const cleo: Person = { principal: 'cleo', groups: ['release', 'security'] }
export const dave: Person = { principal: 'dave', groups: ['engineers'] }
const people = [ann, ben, cleo, dave]

const anytime: PolicyCall['time'] = { hour: 10, minute: 0, weekday: 2, date: '2026-11-17' }

/** Each policy covers all tools, unless it says otherwise. */
export type PolicyText = Partial<ShortPolicy> & Pick<ShortPolicy, 'name' | 'effect'>

export const allowAll: PolicyText = { name: 'everything else', effect: 'allow' }
export const twoOfRelease: PolicyText = {
  name: 'release',
  effect: { ask: { ask: '2 of group:release', exclude: 'requester' } },
}

export async function policiesOf(...policies: readonly PolicyText[]): Promise<PolicyDecider> {
  const sources = policies.map((policy) => ({
    where: policy.name,
    policy: compileShortForm({
      kind: 'tools',
      targets: ['*'],
      people: [],
      annotations: {},
      when: [],
      isDryRun: false,
      ...policy,
    }),
  }))
  const build = async (mode: 'enforce' | 'dry-run') => {
    const built = await PolicySet.build(sources, new Set(), mode)
    if (!(built instanceof PolicySet)) throw new Error(JSON.stringify(built))
    return built
  }
  const [enforced, dry] = [await build('enforce'), await build('dry-run')]
  return {
    covers: (kind) => enforced.covers(kind),
    decide: (call) => enforced.decide(call),
    dryRun: (call) => (policies.some(({ isDryRun }) => isDryRun === true) ? dry.decide(call) : undefined),
    requirementsOf: (asks, requester) => asks.map(({ terms }) => requirementOf(terms, requester, new Map())),
    timeAt: () => anytime,
  }
}

export const identifyWithGroups: NonNullable<GatewayOptions['identify']> = ({ headers }) => {
  const principal = String(headers[personHeader] ?? 'ann')
  return people.find((person) => person.principal === principal) ?? { principal, groups: [] }
}

export async function aGatewayWithPolicies(
  servers: GatewayOptions['servers'],
  policies: readonly PolicyText[],
  options: Partial<GatewayOptions> = {},
) {
  const testEnv = await openTestEnv()
  const decider = await policiesOf(...policies)
  const start = () =>
    testEnv.gateway(servers, {
      identify: identifyWithGroups,
      surfaces: ['client', 'inbox'],
      policies: decider,
      ...options,
    })
  return { store: testEnv.store, gateway: await start(), start, testEnv }
}
