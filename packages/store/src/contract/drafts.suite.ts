// People, asks and answers for tests.

import { randomBytes } from 'node:crypto'
import {
  type Approver,
  type AskDraft,
  actionDigest,
  createKeyRing,
  type KeyRing,
  newId,
  type Person,
  toolDefinitionDigest,
} from '@assent/core'
import type { RecordedCall } from '../index.ts'

/** Shared by all processes of a test. */
export const testKeys: KeyRing = createKeyRing([{ id: 'test', secret: new Uint8Array(32).fill(3) }])

export const noon: number = Date.UTC(2026, 6, 28, 12)
export const minuteMs = 60_000

export function person(principal: string, ...groups: string[]): Person {
  return { principal, groups }
}

export const ann: Person = person('ann')
export const ben: Person = person('ben')
export const cleo: Person = person('cleo')

export function anId(kind: 'ask' | 'call' | 'state' | 'decision' | 'secret' = 'ask'): string {
  return newId(kind, Date.now(), randomBytes)
}

/** A question with one required field, put to Ann. */
export function aForm(changes: Partial<AskDraft> = {}): AskDraft {
  return {
    tenant: 'acme',
    id: anId(),
    asker: { server: 'deploy', tool: 'rollout' },
    principal: 'ann',
    question: {
      kind: 'form',
      message: 'Which region?',
      form: {
        fields: [
          {
            kind: 'choice',
            name: 'region',
            required: true,
            options: [
              { value: 'eu', label: 'Europe' },
              { value: 'us', label: 'United States' },
            ],
          },
        ],
      },
    },
    approvalRule: { approvers: ['person:ann'], excluded: [], approvals: 1, declines: 1 },
    decideWithinMs: 10 * minuteMs,
    useWithinMs: 5 * minuteMs,
    ...changes,
  }
}

export const inEurope = { action: 'accept', content: { region: 'eu' } } as const

/** A deployment that these people must approve. */
export function anApproval(
  approvers: readonly Approver[],
  approvals: number,
  changes: Partial<AskDraft> = {},
): AskDraft {
  const action = {
    server: 'deploy',
    tool: 'rollout',
    definitionDigest: toolDefinitionDigest({ name: 'rollout', inputSchema: { type: 'object' } }),
    arguments: { env: 'production', replicas: 4 },
  }
  return aForm({
    question: { kind: 'approval', title: 'Roll out', action, digest: actionDigest(action) },
    approvalRule: { approvers, excluded: [], approvals, declines: 1 },
    ...changes,
  })
}

export const accept = { action: 'accept' } as const
export const decline = { action: 'decline' } as const
export const cancel = { action: 'cancel' } as const

/** A call of Ann that has not ended. */
export function aRecordedCall(changes: Partial<RecordedCall> = {}): RecordedCall {
  return {
    tenant: 'acme',
    id: newId('record', Date.now(), randomBytes),
    principal: 'ann',
    groups: [],
    server: 'deploy',
    method: 'tools/call',
    target: 'rollout',
    digest: 'none',
    beganAtMs: noon,
    ...changes,
  }
}
