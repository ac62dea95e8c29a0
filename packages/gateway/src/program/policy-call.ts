// A call that a person describes on the command line or in a test case, as policies see it.

import type { JsonObject, JsonValue } from '@assent/core'
import { type Policies, type PolicyCall, type PolicyKind, principalNamed } from '@assent/policy'
import { localAddress, localPerson } from '../call/local-person.ts'
import { nearest } from '../config/nearest.ts'
import type { Config } from '../config/settings.ts'
import { policyCallText } from './text/policy.ts'

export interface DescribedCall {
  readonly kind: PolicyKind
  /** `server/name`. */
  readonly target: string
  readonly arguments: JsonObject
  /** The subject; without it, the local person. */
  readonly person?: string
  readonly groups: readonly string[]
  readonly roles: readonly string[]
  /** The address that the call comes from; without it, that of this machine. */
  readonly address?: string
  readonly isDefinitionChanged?: boolean
  readonly atMs: number
  readonly annotations?: JsonObject
  readonly schema?: JsonValue
}

export function describedPolicyCall(
  { target, person, groups, roles, address = localAddress, atMs, ...call }: DescribedCall,
  { identity }: Config,
  policies: Policies,
): PolicyCall {
  const slash = target.indexOf('/')
  const principal = person === undefined ? localPerson.principal : principalNamed(person, identity?.issuer)
  return {
    ...call,
    server: target.slice(0, slash),
    name: target.slice(slash + 1),
    person: { principal, groups, roles },
    claims: {},
    time: policies.timeAt(atMs),
    address,
  }
}

/** The milliseconds of a time such as `2026-11-17T22:00:00Z`; NaN without a time zone, because the zone of this machine is rarely meant. */
export function timeIn(text: string): number {
  return /(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? Date.parse(text) : Number.NaN
}

/** Why a target cannot be one of the servers; undefined if it can. */
export function targetProblem(
  target: string,
  { servers }: Config,
): { problem: string; suggestion?: string } | undefined {
  const slash = target.indexOf('/')
  const names = Object.keys(servers)
  if (slash < 1 || slash === target.length - 1) {
    const name = target.replaceAll('/', '')
    return {
      problem: policyCallText.target,
      suggestion: policyCallText.withServer(`${names[0]}/${name === '' ? 'rollout' : name}`),
    }
  }
  const server = target.slice(0, slash)
  if (names.includes(server)) return undefined
  const meant = nearest(server, names)
  const problem = policyCallText.unknownServer(server)
  return {
    problem,
    suggestion: meant === undefined ? policyCallText.servers(names) : policyCallText.didYouMean(meant),
  }
}
