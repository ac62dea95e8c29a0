// A call that a person describes on the command line or in a test case, as policies see it.

import type { JsonObject, JsonValue } from '@assent/core'
import { type Policies, type PolicyCall, type PolicyKind, principalNamed } from '@assent/policy'
import { localPerson } from '../call/local-person.ts'
import { nearest } from '../config/nearest.ts'
import type { Config } from '../config/settings.ts'

export interface DescribedCall {
  readonly kind: PolicyKind
  /** `server/name`. */
  readonly target: string
  readonly arguments: JsonObject
  /** The subject; without it, the local person. */
  readonly person?: string
  readonly groups: readonly string[]
  readonly atMs: number
  readonly annotations?: JsonObject
  readonly schema?: JsonValue
}

export function policyCallOf(
  { target, person, groups, atMs, ...call }: DescribedCall,
  { identity }: Config,
  policies: Policies,
): PolicyCall {
  const slash = target.indexOf('/')
  const principal = person === undefined ? localPerson.principal : principalNamed(person, identity?.issuer)
  return {
    ...call,
    server: target.slice(0, slash),
    name: target.slice(slash + 1),
    person: { principal, groups, roles: [] },
    claims: {},
    time: policies.timeAt(atMs),
  }
}

/** Why a target cannot be one of the servers; undefined if it can. */
export function targetProblem(
  target: string,
  { servers }: Config,
): { problem: string; suggestion?: string } | undefined {
  const slash = target.indexOf('/')
  const names = Object.keys(servers)
  if (slash < 1 || slash === target.length - 1) return { problem: 'must be server/name, such as deploy/rollout' }
  const server = target.slice(0, slash)
  if (names.includes(server)) return undefined
  const meant = nearest(server, names)
  const problem = `names the server ${server}, which is not in servers`
  return {
    problem,
    suggestion: meant === undefined ? `The servers are ${names.join(', ')}.` : `Did you mean ${meant}?`,
  }
}
