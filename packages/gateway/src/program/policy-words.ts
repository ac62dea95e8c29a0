// A policy decision as text, for `assent policy explain` and `assent policy test`.

import type { ApprovalRequirement } from '@assent/core'
import type { AskTerms, Policies, PolicyCall, PolicyDecision } from '@assent/policy'
import { showDuration } from '../config/units.ts'

const effects = { allow: 'allowed', deny: 'denied', ask: 'needs approval' } as const
const verbs = { allow: 'allows', deny: 'denies', ask: 'asks' } as const

export function decisionLines(file: string, call: PolicyCall, decision: PolicyDecision, policies: Policies): string[] {
  const asking = decision.effect === 'ask' ? decision.asks.map(({ policy }) => policy) : []
  const deciding = new Set([...decision.policies, ...asking])
  const lines = [`${call.server}/${call.name} by ${call.person.principal}: ${effects[decision.effect]}.`]
  for (const { name, place, effect } of policies.all) {
    if (deciding.has(name)) {
      const isFailed = !decision.policies.includes(name)
      const why = isFailed ? ', because it cannot be evaluated for these arguments' : ''
      lines.push(`  "${name}" (${place.file ?? file}:${place.line}:${place.column}) ${verbs[effect]}${why}`)
    }
  }
  for (const { policy, message } of decision.errors)
    lines.push(`  ${policy === '' ? 'It' : `"${policy}"`} cannot be evaluated: ${message}`)
  if (decision.effect === 'deny' && decision.because === 'not-permitted') lines.push('  No policy allows it.')
  if (decision.effect === 'allow' && decision.policies.length === 0) lines.push(`  No policy is about ${call.kind}.`)
  if (decision.effect !== 'ask') return lines
  const requirements = policies.requirementsOf(decision.asks, call.person.principal)
  return [
    ...lines,
    'Approvals that are needed:',
    ...decision.asks.map(({ terms }, index) => `  ${requirementWords(requirements[index])}${termWords(terms)}`),
  ]
}

function requirementWords(requirement: ApprovalRequirement | undefined): string {
  if (requirement === undefined) return ''
  const { anyOf, excluded } = requirement
  const alternatives = anyOf.map((factors) =>
    factors
      .map(({ from, approvals }) => `${approvals} from ${from.length === 0 ? 'no person' : from.join(', ')}`)
      .join(' and '),
  )
  return `${alternatives.join(', or ')}${excluded.length === 0 ? '' : `, but not ${excluded.join(', ')}`}`
}

function termWords(terms: AskTerms): string {
  return [
    ...(terms.decideWithinMs === undefined ? [] : [`within ${showDuration(terms.decideWithinMs)}`]),
    ...(terms.useWithinMs === undefined ? [] : [`to be used within ${showDuration(terms.useWithinMs)}`]),
    ...(terms.declines === 1 ? [] : [`${terms.declines} declines end it`]),
    ...(terms.needsPresence ? ['with a passkey'] : []),
    ...(terms.needsReason ? ['with a reason'] : []),
    ...(terms.surfaces.includes('client') ? ['also in the client'] : []),
  ]
    .map((words) => `; ${words}`)
    .join('')
}
