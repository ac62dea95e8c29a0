import { expect, test } from 'vitest'
import { askLimits } from '../limits.ts'
import {
  type ApprovalRule,
  approvalRuleProblem,
  groupsNamed,
  mayDecide,
  ruleOf,
  soleApprover,
} from './approval-rule.ts'
import { approvalNeeds } from './approval-text.ts'
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

const release = { anyOf: [[{ from: ['group:release'] as const, approvals: 2 }]], excluded: ['ann'] }
const boss = {
  anyOf: [[{ from: ['person:boss'] as const, approvals: 1 }], [{ from: ['group:release'] as const, approvals: 1 }]],
  excluded: [],
}

test('[POLICY-22] the rule of requirements lists everyone they name, and the most approvals that they can need', () => {
  const rule = ruleOf([release, boss], 2)

  expect(rule).toMatchObject({ approvers: ['group:release', 'person:boss'], excluded: [], approvals: 3, declines: 2 })
  expect(approvalRuleProblem(rule)).toBeUndefined()
  expect(mayDecide(rule, { principal: 'ann', groups: ['release'] })).toBe(true)
  expect(mayDecide(ruleOf([release], 1), { principal: 'ann', groups: ['release'] })).toBe(false)
  expect(groupsNamed(rule, { principal: 'ben', groups: ['release', 'other', 'release'] })).toEqual(['release'])
})

test('[POLICY-21] a rule that contradicts its requirements is refused', () => {
  const rule = ruleOf([release], 1)

  expect(approvalRuleProblem({ ...rule, approvals: 1 })).toBe(
    'The approvers of the rule are not those of its requirements.',
  )
  expect(approvalRuleProblem({ ...rule, approvers: ['person:mallory'] })).toBeDefined()
  expect(approvalRuleProblem({ ...rule, requirements: [] })).toBeDefined()
})

test('[POLICY-46] a rule is described in words', () => {
  const nameOf = (principal: string) => principal.toUpperCase()

  expect(approvalNeeds(ruleOf([release, boss], 1), nameOf)).toBe(
    '2 approvals from release (not from ANN); and 1 approval from BOSS, or 1 approval from release',
  )
  const both = {
    anyOf: [
      [
        { from: ['group:a', 'group:b', 'person:c'] as const, approvals: 1 },
        { from: ['group:d'] as const, approvals: 2 },
      ],
    ],
    excluded: [],
  }
  expect(approvalNeeds(ruleOf([both], 1), nameOf)).toBe('1 approval from a, b or C and 2 approvals from d')
  const empty = { anyOf: [[{ from: [], approvals: 1 }]], excluded: [] }
  expect(approvalNeeds(ruleOf([empty], 1), nameOf)).toBe('1 approval from no person')
})
