// A policy decision as text, for `assent policy explain` and `assent policy test`.

import { type ApprovalRequirement, ruleOf } from '@assent/core'
import type { AskTerms, Policies, PolicyCall, PolicyDecision } from '@assent/policy'
import { approvalsInWords } from '../call/route/approvals-needed.ts'
import { showDuration } from '../config/units.ts'
import { decisionText } from './text/policy.ts'

export function decisionLines(file: string, call: PolicyCall, decision: PolicyDecision, policies: Policies): string[] {
  const asking = decision.effect === 'ask' ? decision.asks.map(({ policy }) => policy) : []
  const deciding = new Set([...decision.policies, ...asking])
  const lines = [decisionText.decided(`${call.server}/${call.name}`, call.person.principal, decision.effect)]
  for (const { name, place, effect } of policies.all) {
    if (deciding.has(name)) {
      const isFailed = !decision.policies.includes(name)
      const where = `${place.file ?? file}:${place.line}:${place.column}`
      lines.push(decisionText.policy(name, where, effect, isFailed))
    }
  }
  for (const { policy, message } of decision.errors) lines.push(decisionText.failed(policy, message))
  if (call.isDefinitionChanged === true) lines.push(decisionText.definitionChanged)
  if (decision.effect === 'deny' && decision.because === 'not-permitted') lines.push(decisionText.notAllowed)
  if (decision.effect === 'allow' && decision.policies.length === 0) lines.push(decisionText.notCovered(call.kind))
  if (decision.effect !== 'ask') return lines
  const requirements = policies.requirementsOf(decision.asks, call.person.principal)
  return [
    ...lines,
    decisionText.approvals,
    ...decision.asks.map(({ terms }, index) => `  ${requirementWords(requirements[index], terms)}${termWords(terms)}`),
  ]
}

function requirementWords(requirement: ApprovalRequirement | undefined, { declines }: AskTerms): string {
  return requirement === undefined ? '' : approvalsInWords(ruleOf([requirement], declines))
}

function termWords(terms: AskTerms): string {
  return [
    ...(terms.decideWithinMs === undefined ? [] : [decisionText.within(showDuration(terms.decideWithinMs))]),
    ...(terms.useWithinMs === undefined ? [] : [decisionText.useWithin(showDuration(terms.useWithinMs))]),
    ...(terms.declines === 1 ? [] : [decisionText.declines(terms.declines)]),
    ...(terms.needsPresence ? [decisionText.presence] : []),
    ...(terms.needsReason ? [decisionText.reason] : []),
    ...(terms.isDestructive === true ? [decisionText.destructive] : []),
    ...(terms.surfaces.includes('client') ? [decisionText.alsoInClient] : []),
  ]
    .map((words) => `; ${words}`)
    .join('')
}
