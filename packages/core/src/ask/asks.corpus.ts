// Test data: asks.

import { actionDigest, toolDefinitionDigest } from '../digest/action.ts'
import type { JsonObject } from '../json.ts'
import type { Approver } from './approver.ts'
import type { AskDraft, Vote } from './ask.ts'
import type { Question } from './question.ts'

export const noon: number = Date.UTC(2026, 6, 28, 12)
export const minuteMs = 60_000

export const region: Question = {
  kind: 'form',
  message: 'Which region?',
  form: { fields: [{ kind: 'choice', name: 'region', required: true, options: [{ value: 'eu' }, { value: 'us' }] }] },
}

export const link: Question = { kind: 'url', message: 'Sign in to continue', url: 'https://login.example.com/' }

export function rollOut(args: JsonObject = { env: 'production' }): Question & { kind: 'approval' } {
  const definitionDigest = toolDefinitionDigest({ name: 'rollout', inputSchema: { type: 'object' } })
  const action = { server: 'deploy', tool: 'rollout', definitionDigest, arguments: args }
  return { kind: 'approval', title: 'Roll out', action, digest: actionDigest(action) }
}

/** From the deploy server to Ann, on her own behalf, with ten minutes to decide. */
export function aDraft(changes: Partial<AskDraft> = {}): AskDraft {
  return {
    tenant: 'acme',
    id: `ask_${'0'.repeat(36)}`,
    asker: { server: 'deploy', tool: 'rollout' },
    principal: 'ann',
    question: region,
    approvalRule: { approvers: ['person:ann'], excluded: [], approvals: 1, declines: 1 },
    decideWithinMs: 10 * minuteMs,
    useWithinMs: 5 * minuteMs,
    ...changes,
  }
}

/** A roll-out that needs `approvals` of these people. */
export function aQuorum(approvals: number, ...people: string[]): AskDraft {
  const approvers = people.map((name): Approver => `person:${name}`)
  return aDraft({ question: rollOut(), approvalRule: { approvers, excluded: [], approvals, declines: 1 } })
}

export function aVote(
  by: string,
  action: 'accept' | 'decline' | 'cancel',
  decisionId: string = `${by} ${action}`,
): Vote {
  return { answer: { action }, by, via: 'inbox', decisionId }
}
