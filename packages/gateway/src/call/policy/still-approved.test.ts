import { type Ask, actionDigest, ruleOf } from '@assent/core'
import { expect, test } from 'vitest'
import type { RequiredApproval } from './required-approval.ts'
import { isStillApproved } from './still-approved.ts'

const action = { server: 'ops', tool: 'deploy', definitionDigest: `sha256:${'0'.repeat(64)}`, arguments: {} }
const digest = actionDigest(action)
const needs = (group: string): RequiredApproval => ({
  policies: [group],
  requirements: [{ anyOf: [[{ from: [`group:${group}`], approvals: 1 }]], excluded: [] }],
  declines: 1,
})
const approvedAsk: Ask = {
  ...{ tenant: 'default', id: 'ask_1', asker: { server: 'ops' }, principal: 'zoe', votes: [] },
  question: { kind: 'approval', title: 'Run deploy', action, digest },
  approvalRule: ruleOf(needs('release').requirements, 1),
  ...{ raisedAtMs: 10_000, decideByMs: 100_000, useWithinMs: 100_000 },
  state: {
    kind: 'settled',
    ...{ by: 'ben', groups: ['release', 'security'], via: 'inbox', decisionId: 'decision_1', atMs: 20_000 },
    answer: { action: 'accept' },
  },
}

/** Whether an approval by `release` is enough where `security` is required now, and its voter is in both. */
function isApproved({
  ask = approvedAsk,
  given = {},
  asked = {},
}: {
  readonly ask?: Ask | undefined
  readonly given?: object
  readonly asked?: object
}): Promise<boolean> {
  const store = {
    asks: { read: async () => ask },
    grants: { read: async () => undefined },
    nowMs: () => 30_000,
  } as unknown as Parameters<typeof isStillApproved>[0]
  return isStillApproved(
    store,
    { tenant: 'default', principal: 'zoe' },
    { digest, approval: needs('release'), askId: 'ask_1', ...given },
    { digest, approval: needs('security'), ...asked },
  )
}

test('[POLICY-39] the stored votes of an approval count for what is required now', async () => {
  expect(await isApproved({})).toBe(true)
  expect(await isApproved({ asked: { approval: needs('finance') } })).toBe(false)
})

test('[POLICY-39] an approval without stored votes counts only if nothing has become stricter', async () => {
  expect(await isApproved({ given: { askId: undefined } })).toBe(false)
  expect(await isApproved({ given: { askId: undefined }, asked: { approval: needs('release') } })).toBe(true)
})

const joined = { digest, approval: needs('release') }
test.each<[what: string, terms: Partial<RequiredApproval>, ask: Ask]>([
  ['a decision that took too long for them', { decideWithinMs: 5_000 }, approvedAsk],
  ['a use that comes too late for them', { useWithinMs: 5_000 }, approvedAsk],
  ['a vote in the client', {}, { ...approvedAsk, state: { ...approvedAsk.state, via: 'client' } as Ask['state'] }],
])(
  '[POLICY-39] an ask that a call joined under new terms is compared with them: %s does not count',
  async (_what, terms, ask) => {
    const approval = { ...needs('release'), ...terms }
    expect(await isApproved({ ask, given: { approval }, asked: { approval } })).toBe(false)
    expect(await isApproved({ given: joined, asked: joined })).toBe(true)
  },
)

const other = actionDigest({ ...action, tool: 'wipe' })
test.each<[what: string, changed: Parameters<typeof isApproved>[0]]>([
  ['an approval of another action', { given: { digest: other }, asked: { approval: needs('release') } }],
  ['the votes of an ask for another person', { ask: { ...approvedAsk, principal: 'mallory' } }],
  ['the votes of a question', { ask: { ...approvedAsk, question: { kind: 'url', message: '', url: '' } } }],
  [
    'the votes of an ask about another action',
    { ask: { ...approvedAsk, question: { kind: 'approval', title: 'Run wipe', action, digest: other } } },
  ],
])('[POLICY-39] not counted: %s', async (_what, changed) => {
  expect(await isApproved(changed)).toBe(false)
})
