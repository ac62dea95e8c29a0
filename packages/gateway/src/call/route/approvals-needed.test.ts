import { soleApprover } from '@assent/core'
import { expect, test } from 'vitest'
import type { InputRequest } from '../model.ts'
import { approvalsInWords, neededBy, neededIn } from './approvals-needed.ts'
import { form } from './sample-rounds.suite.ts'

const from = ['group:ops', 'person:https://id.example#ann'] as const
const requirements = [{ anyOf: [[{ from, approvals: 2 }]], excluded: [] }]
const rule = { ...soleApprover('x'), requirements } as unknown as Parameters<typeof approvalsInWords>[0]
const approval = { requirements, declines: 1 }
const stopped = { ...form('Approve?'), approval } as unknown as InputRequest

test('[POLICY-46] the approvals that a call needs are listed for its caller, with the subject of each person', () => {
  const words = approvalsInWords(rule)

  expect(words).toBe('2 approvals from ops or ann')
  expect(neededBy({ approvalRule: rule })).toBe(words)
  expect(neededIn({ wanted: { question: form('One?'), approval: stopped } })).toBe(words)
})

test('[POLICY-46] a question that no policy requires needs no approvals', () => {
  expect(neededBy({ approvalRule: soleApprover('ann') })).toBeUndefined()
  expect(neededIn({ wanted: { question: form('One?'), roots: { kind: 'roots', params: {} } } })).toBeUndefined()
})
