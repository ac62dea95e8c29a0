import { type ApprovalRequirement, type Ask, actionDigest, type CastVote, type Person, ruleOf } from '@assent/core'
import type { AskTerms, PolicyAsk } from '@assent/policy'
import { expect, test } from 'vitest'
import { isCovered, requiredApproval, votesMeet } from './required-approval.ts'

const terms: AskTerms = {
  anyOf: [[{ from: ['group:release'], approvals: 1 }]],
  exclude: [],
  declines: 1,
  needsPresence: false,
  needsReason: false,
  surfaces: ['inbox'],
}
const ask = (policy: string, changes: Partial<AskTerms> = {}): PolicyAsk => ({
  policy,
  terms: { ...terms, ...changes },
})
const requester: Person = { principal: 'zoe', groups: ['release'] }
const release: ApprovalRequirement = { anyOf: [[{ from: ['group:release'], approvals: 1 }]], excluded: [] }
const security: ApprovalRequirement = { anyOf: [[{ from: ['group:security'], approvals: 1 }]], excluded: ['ann'] }

test('[POLICY-44] of several policies the strictest terms apply', () => {
  const together = requiredApproval(
    [
      ask('a', { declines: 3, decideWithinMs: 60_000, useWithinMs: 5_000, surfaces: ['inbox', 'client'] }),
      ask('b', { declines: 2, decideWithinMs: 30_000, needsReason: true, needsPresence: true, isDestructive: true }),
    ],
    [release, security],
    requester,
  )

  expect(together).toEqual({
    policies: ['a', 'b'],
    requirements: [release, security],
    declines: 2,
    decideWithinMs: 30_000,
    useWithinMs: 5_000,
    needsReason: true,
    needsPresence: true,
    isDestructive: true,
  })
})

test('[POLICY-44] the client may be asked only if every policy says so', () => {
  const client = ask('a', { surfaces: ['client'] })

  expect(requiredApproval([client], [release], requester)).toMatchObject({ isOnClient: true })
  expect(requiredApproval([client, ask('b')], [release], requester)).not.toHaveProperty('isOnClient')
})

test.each<[why: string, requirement: ApprovalRequirement, changes: Partial<AskTerms>]>([
  ['the requester is not one of the approvers', { ...release, anyOf: [[{ from: ['person:ben'], approvals: 1 }]] }, {}],
  ['more than one person must approve', { ...release, anyOf: [[{ from: ['group:release'], approvals: 2 }]] }, {}],
  ['the requester is excluded', { ...release, excluded: ['zoe'] }, {}],
  ['the approval needs a reason', release, { needsReason: true }],
  ['the approval needs a passkey', release, { needsPresence: true }],
])('[POLICY-36] the client is not asked if %s', (_why, requirement, changes) => {
  const client = ask('a', { surfaces: ['inbox', 'client'], ...changes })

  expect(requiredApproval([client], [requirement], requester)).not.toHaveProperty('isOnClient')
  expect(requiredApproval([client, client], [release, requirement], requester)).not.toHaveProperty('isOnClient')
})

test('[POLICY-39] an approval covers what is required now only if nothing became stricter', () => {
  const approved = requiredApproval([ask('a')], [release, security], requester)
  const now = (changes: Partial<AskTerms>, requirements = [release]) =>
    requiredApproval([ask('a', changes)], requirements, requester)

  expect(isCovered(now({}), approved)).toBe(true)
  expect(isCovered(now({}, [security, release]), approved)).toBe(true)
  expect(isCovered(now({ surfaces: ['client'] }), approved)).toBe(true)
  expect(isCovered(now({}, [{ ...release, excluded: ['ann'] }]), approved)).toBe(false)
  expect(isCovered(now({ needsPresence: true }), approved)).toBe(false)
  expect(isCovered(now({ needsReason: true }), approved)).toBe(false)
  expect(isCovered(now({ isDestructive: true }), approved)).toBe(false)
  expect(isCovered(now({}), { ...approved, isDestructive: true })).toBe(true)
  expect(isCovered({ ...now({}), isInDestructiveTool: true }, approved)).toBe(false)
  expect(isCovered(now({}), { ...approved, isInDestructiveTool: true })).toBe(true)
  const withTerms = (changes: Partial<AskTerms>) => requiredApproval([ask('a', changes)], [release], requester)
  expect(isCovered(now({ declines: 2 }), withTerms({ declines: 3 }))).toBe(false)
  expect(isCovered(now({ declines: 3 }), withTerms({ declines: 2 }))).toBe(true)
  expect(isCovered(now({ useWithinMs: 5_000 }), withTerms({ useWithinMs: 60_000 }))).toBe(false)
  expect(isCovered(now({ useWithinMs: 5_000 }), withTerms({}))).toBe(false)
  expect(isCovered(now({}), withTerms({ useWithinMs: 5_000 }))).toBe(true)
  expect(isCovered(now({ decideWithinMs: 5_000 }), withTerms({ decideWithinMs: 60_000 }))).toBe(false)
  expect(isCovered(now({ decideWithinMs: 60_000 }), withTerms({ decideWithinMs: 5_000 }))).toBe(true)
  const atClient = requiredApproval([ask('a', { surfaces: ['client'] })], [release], requester)
  expect(isCovered(now({}), atClient)).toBe(false)
})

const action = { server: 'ops', tool: 'deploy', definitionDigest: `sha256:${'0'.repeat(64)}`, arguments: {} }
const voteOf = (by: string, groups: readonly string[] = [], more: Partial<CastVote> = {}): CastVote => ({
  ...{ by, groups, via: 'inbox', decisionId: `decision of ${by}`, atMs: 20_000 },
  answer: { action: 'accept' },
  ...more,
})

/** An ask that was approved after 10 seconds. */
function anApproved(votes: readonly CastVote[], changes: Partial<Ask> = {}, question = {}): Ask {
  const [last = voteOf('ben', ['release'])] = votes.slice(-1)
  return {
    ...{ tenant: 'default', id: 'ask_1', asker: { server: 'ops' }, principal: 'zoe' },
    question: { kind: 'approval', title: 'Run deploy', action, digest: actionDigest(action), ...question },
    approvalRule: ruleOf([release], votes.length > 1 ? 2 : 1),
    ...{ raisedAtMs: 10_000, decideByMs: 100_000, useWithinMs: 100_000 },
    votes: votes.length > 1 ? votes : [],
    state: { kind: 'settled', ...last },
    ...changes,
  }
}

const nowNeeds = (requirements: readonly ApprovalRequirement[], changes: Partial<AskTerms> = {}) =>
  requiredApproval([ask('now', changes)], requirements, requester)
const from = (...names: ApprovalRequirement['anyOf'][number][number]['from']): ApprovalRequirement => ({
  anyOf: [[{ from: names, approvals: 1 }]],
  excluded: [],
})
const passkey = {} as NonNullable<CastVote['presence']>

test.each<[why: string, now: ReturnType<typeof nowNeeds>, votes: readonly CastVote[], question?: object]>([
  [
    'another group could approve too',
    nowNeeds([from('group:release', 'group:security')]),
    [voteOf('ben', ['release'])],
  ],
  ['the approver is named', nowNeeds([from('person:ben')]), [voteOf('ben', ['release'])]],
  ['one of two approvals is enough', nowNeeds([from('group:release')]), [voteOf('ben', ['release']), voteOf('cleo')]],
  ['somebody else is excluded', nowNeeds([{ ...release, excluded: ['cleo'] }]), [voteOf('ben', ['release'])]],
  [
    'a reason was given',
    nowNeeds([release], { needsReason: true }),
    [voteOf('ben', ['release'], { answer: { action: 'accept', comment: 'yes' } })],
  ],
  [
    'a passkey was used',
    nowNeeds([release], { needsPresence: true }),
    [voteOf('ben', ['release'], { presence: passkey })],
  ],
  [
    'the approver was warned',
    nowNeeds([release], { isDestructive: true }),
    [voteOf('ben', ['release'])],
    { isDestructive: true },
  ],
  [
    'the times are long enough',
    nowNeeds([release], { useWithinMs: 30_001, decideWithinMs: 10_001 }),
    [voteOf('ben', ['release'])],
  ],
])('[POLICY-39] stored votes meet what is required now, if %s', (_why, now, votes, question) => {
  expect(votesMeet(now, anApproved(votes, {}, question), 50_000)).toBe(true)
})

test.each<[why: string, now: ReturnType<typeof nowNeeds>, votes: readonly CastVote[]]>([
  ['another group is needed', nowNeeds([from('group:security')]), [voteOf('ben', ['release'])]],
  ['another policy asks somebody else', nowNeeds([release, from('person:cleo')]), [voteOf('ben', ['release'])]],
  [
    'more approvals are needed',
    nowNeeds([{ anyOf: [[{ from: ['group:release'], approvals: 2 }]], excluded: [] }]),
    [voteOf('ben', ['release'])],
  ],
  ['the approver is excluded', nowNeeds([{ ...release, excluded: ['ben'] }]), [voteOf('ben', ['release'])]],
  ['no reason was given', nowNeeds([release], { needsReason: true }), [voteOf('ben', ['release'])]],
  ['no passkey was used', nowNeeds([release], { needsPresence: true }), [voteOf('ben', ['release'])]],
  ['the approver was not warned', nowNeeds([release], { isDestructive: true }), [voteOf('ben', ['release'])]],
  ['the tool is destructive now', { ...nowNeeds([release]), isInDestructiveTool: true }, [voteOf('ben', ['release'])]],
  ['the vote came from the client', nowNeeds([from('person:zoe')]), [voteOf('zoe', [], { via: 'client' })]],
  ['it was decided too late', nowNeeds([release], { decideWithinMs: 10_000 }), [voteOf('ben', ['release'])]],
  ['it is used too late', nowNeeds([release], { useWithinMs: 30_000 }), [voteOf('ben', ['release'])]],
  [
    'somebody declined, and one decline ends it now',
    nowNeeds([release], { declines: 1 }),
    [voteOf('cleo', ['release'], { answer: { action: 'decline' } }), voteOf('ben', ['release'])],
  ],
])('[POLICY-39] stored votes do not meet what is required now, if %s', (_why, now, votes) => {
  expect(votesMeet(now, anApproved(votes), 50_000)).toBe(false)
})

test('[POLICY-39] votes of an ask that was not approved never meet anything', () => {
  const declined = voteOf('ben', ['release'], { answer: { action: 'decline' } })

  expect(votesMeet(nowNeeds([release]), anApproved([declined]), 50_000)).toBe(false)
  expect(votesMeet(nowNeeds([release]), anApproved([], { state: { kind: 'open' } }), 50_000)).toBe(false)
  expect(
    votesMeet(nowNeeds([release]), anApproved([], { question: { kind: 'url', message: '', url: '' } }), 50_000),
  ).toBe(false)
})
