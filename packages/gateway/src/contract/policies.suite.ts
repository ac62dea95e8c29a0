// A gateway with policies, and people in groups.

import type { Person } from '@assent/core'
import { Policies, type PolicySettings, type ShortPolicy } from '@assent/policy'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { personHeader } from '../../../../test-kit/person-header.ts'
import { aShortPolicy } from '../../../../test-kit/policy/short-policy.ts'
import type { PolicyDecider } from '../call/policy/policy-gate.ts'
import type { GatewayOptions } from '../program/gateway.ts'

export const ann: Person = { principal: 'ann', groups: ['engineers', 'release'] }
export const ben: Person = { principal: 'ben', groups: ['release'] }
export const cleo: Person = { principal: 'cleo', groups: ['release', 'security'] }
export const dave: Person = { principal: 'dave', groups: ['engineers'] }
const people = [ann, ben, cleo, dave]

/** Each policy covers all tools, unless it says otherwise. */
export type PolicyText = Partial<ShortPolicy> & Pick<ShortPolicy, 'name' | 'effect'>

export const allowAll: PolicyText = { name: 'everything else', effect: 'allow' }
export const twoOfRelease: PolicyText = {
  name: 'release',
  effect: { ask: { ask: '2 of group:release', exclude: 'requester' } },
}

export async function policiesOf(...policies: readonly PolicyText[]): Promise<PolicyDecider> {
  return policiesWith({}, ...policies)
}

/** @param changes settings beside the policies, such as their owners */
export async function policiesWith(
  changes: Partial<PolicySettings>,
  ...policies: readonly PolicyText[]
): Promise<PolicyDecider> {
  const shortForm = policies.map((policy, index) => ({
    place: { line: index + 1, column: 1 },
    policy: aShortPolicy(policy.name, policy.effect, policy),
  }))
  const opened = await Policies.open({
    shortForm,
    cedarFiles: [],
    groups: {},
    timeZone: 'UTC',
    ...changes,
  })
  if (!(opened instanceof Policies)) throw new Error(JSON.stringify(opened))
  return opened
}

export const identifyWithGroups: NonNullable<GatewayOptions['identify']> = ({ headers }) => {
  const principal = String(headers[personHeader] ?? 'ann')
  return people.find((person) => person.principal === principal) ?? { principal, groups: [] }
}

export async function aGatewayWithPolicies(
  servers: GatewayOptions['servers'],
  policies: readonly PolicyText[],
  options: Partial<GatewayOptions> = {},
  settings: Partial<PolicySettings> = {},
) {
  const testEnv = await openTestEnv()
  const decider = await policiesWith(settings, ...policies)
  const start = () =>
    testEnv.gateway(servers, {
      identify: identifyWithGroups,
      surfaces: ['client', 'inbox'],
      policies: decider,
      ...options,
    })
  return { store: testEnv.store, gateway: await start(), start, testEnv }
}
