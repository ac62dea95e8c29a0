import { expect, test } from 'vitest'
import { askLimits } from '../limits.ts'
import { type ApprovalRule, approvalRuleProblem, mayDecide, soleApprover } from './approval-rule.ts'
import { type Approver, approverNames } from './approver.ts'

const ops: ApprovalRule = { approvers: ['person:ann', 'group:ops'], excluded: ['ben'], approvals: 1, declines: 1 }

test('[ASK-7] a named person and a member of a named group may decide', () => {
  expect(mayDecide(soleApprover('ann'), { principal: 'ann', groups: [] })).toBe(true)
  expect(mayDecide(ops, { principal: 'ann', groups: [] })).toBe(true)
  expect(mayDecide(ops, { principal: 'cleo', groups: ['dev', 'ops'] })).toBe(true)
})

test('[ASK-7] a person who is not an approver may not decide', () => {
  expect(mayDecide(soleApprover('ann'), { principal: 'ben', groups: ['ann'] })).toBe(false)
  expect(mayDecide(ops, { principal: 'cleo', groups: ['opsx'] })).toBe(false)
  expect(mayDecide(ops, { principal: 'ops', groups: [] })).toBe(false)
  expect(mayDecide(ops, { principal: 'group:ops', groups: ['person:ann'] })).toBe(false)
})

test('[ASK-7] an excluded person may not decide, whatever groups they are in', () => {
  expect(mayDecide(ops, { principal: 'ben', groups: ['ops'] })).toBe(false)
  expect(mayDecide({ ...ops, excluded: ['ann'] }, { principal: 'ann', groups: ['ops'] })).toBe(false)
})

test('[ASK-7] a person is an approver under their own name and once under each group', () => {
  expect(approverNames({ principal: 'ann', groups: ['ops', 'ops', 'dev'] })).toEqual([
    'person:ann',
    'group:ops',
    'group:dev',
  ])
})

const tooMany = Array.from({ length: askLimits.approvers + 1 }, (_, index): Approver => `person:p${index}`)
const quorum = 'A quorum is a whole number from 1 to 16.'
const unshown = 'An approver has a name that cannot be shown.'
const few = 'There are fewer approvers than approvals needed.'
const invalid: [what: string, change: Partial<ApprovalRule>, problem: string][] = [
  ['no approver', { approvers: [] }, 'An ask needs at least one approver.'],
  ['more approvers than the limit', { approvers: tooMany }, 'An ask has at most 64 approvers.'],
  ['more excluded people than the limit', { excluded: tooMany }, 'An ask excludes at most 64 people.'],
  ['the same approver twice', { approvers: ['person:ann', 'person:ann'] }, 'An approver is named twice.'],
  ['an approver with a control character', { approvers: ['person:a\u0000'] }, unshown],
  ['an excluded person without a name', { excluded: [''] }, unshown],
  ['no approvals', { approvals: 0 }, quorum],
  ['half a decline', { declines: 0.5 }, quorum],
  ['no declines', { declines: 0 }, quorum],
  ['more approvals than the limit', { approvals: askLimits.approvals + 1 }, quorum],
  ['more declines than the limit', { declines: askLimits.approvals + 1 }, quorum],
  ['fewer people than approvals', { approvers: ['person:ann'], approvals: 2 }, few],
  ['only excluded people', { approvers: ['person:ben'] }, few],
  ['too few who are not excluded', { approvers: ['person:ann', 'person:ben'], approvals: 2 }, few],
]

test.each(invalid)('[ASK-9] an approval rule with %s is refused with a reason', (_, change, problem) => {
  expect(approvalRuleProblem({ ...ops, ...change })).toBe(problem)
})

test('[ASK-9] an approval rule at its limits is valid', () => {
  const most = askLimits.approvals
  const people = tooMany.slice(1)
  expect(approvalRuleProblem({ approvers: people, excluded: people, approvals: most, declines: most })).toBeUndefined()
  expect(approvalRuleProblem({ ...ops, approvers: ['person:ann', 'person:cleo'], approvals: 2 })).toBeUndefined()
  expect(soleApprover('ann')).toEqual({ approvers: ['person:ann'], excluded: [], approvals: 1, declines: 1 })
})

test('[ASK-9] a rule with a group accepts any quorum, because the size of a group is unknown', () => {
  expect(approvalRuleProblem({ ...ops, approvers: ['group:ops'], approvals: 3 })).toBeUndefined()
  expect(approvalRuleProblem({ ...ops, approvals: 3 })).toBeUndefined()
})
