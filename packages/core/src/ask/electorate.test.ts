import { expect, test } from 'vitest'
import { askLimits } from '../limits.ts'
import { type Approver, approverNames, type Electorate, electorateProblem, mayDecide, only } from './electorate.ts'

const ops: Electorate = { approvers: ['person:ann', 'group:ops'], barred: ['ben'], approvals: 1, declines: 1 }

test('[ASK-7] a named person and a member of a named group may decide', () => {
  expect(mayDecide(only('ann'), { principal: 'ann', groups: [] })).toBe(true)
  expect(mayDecide(ops, { principal: 'ann', groups: [] })).toBe(true)
  expect(mayDecide(ops, { principal: 'cleo', groups: ['dev', 'ops'] })).toBe(true)
})

test('[ASK-7] nobody else may', () => {
  expect(mayDecide(only('ann'), { principal: 'ben', groups: ['ann'] })).toBe(false)
  expect(mayDecide(ops, { principal: 'cleo', groups: ['opsx'] })).toBe(false)
  expect(mayDecide(ops, { principal: 'ops', groups: [] })).toBe(false)
  expect(mayDecide(ops, { principal: 'group:ops', groups: ['person:ann'] })).toBe(false)
})

test('[ASK-7] a barred person may not decide, whatever groups they are in', () => {
  expect(mayDecide(ops, { principal: 'ben', groups: ['ops'] })).toBe(false)
  expect(mayDecide({ ...ops, barred: ['ann'] }, { principal: 'ann', groups: ['ops'] })).toBe(false)
})

test('[ASK-7] a person is known by their own name and once by each group', () => {
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
const unfair: [what: string, change: Partial<Electorate>, problem: string][] = [
  ['nobody', { approvers: [] }, 'An ask needs at least one approver.'],
  ['more approvers than the limit', { approvers: tooMany }, 'An ask has at most 64 approvers.'],
  ['more barred people than the limit', { barred: tooMany }, 'An ask bars at most 64 people.'],
  ['the same approver twice', { approvers: ['person:ann', 'person:ann'] }, 'An approver is named twice.'],
  ['an approver with a control character', { approvers: ['person:a\u0000'] }, unshown],
  ['a barred person without a name', { barred: [''] }, unshown],
  ['no approvals', { approvals: 0 }, quorum],
  ['half a decline', { declines: 0.5 }, quorum],
  ['no declines', { declines: 0 }, quorum],
  ['more approvals than the limit', { approvals: askLimits.approvals + 1 }, quorum],
  ['more declines than the limit', { declines: askLimits.approvals + 1 }, quorum],
  ['fewer people than approvals', { approvers: ['person:ann'], approvals: 2 }, few],
  ['only barred people', { approvers: ['person:ben'] }, few],
  ['too few who are not barred', { approvers: ['person:ann', 'person:ben'], approvals: 2 }, few],
]

test.each(unfair)('[ASK-9] an electorate of %s is refused in words', (_, change, problem) => {
  expect(electorateProblem({ ...ops, ...change })).toBe(problem)
})

test('[ASK-9] an electorate that just keeps to the limits is fair', () => {
  const most = askLimits.approvals
  const people = tooMany.slice(1)
  expect(electorateProblem({ approvers: people, barred: people, approvals: most, declines: most })).toBeUndefined()
  expect(electorateProblem({ ...ops, approvers: ['person:ann', 'person:cleo'], approvals: 2 })).toBeUndefined()
  expect(only('ann')).toEqual({ approvers: ['person:ann'], barred: [], approvals: 1, declines: 1 })
})

test('[ASK-9] a group may be large enough for any quorum', () => {
  expect(electorateProblem({ ...ops, approvers: ['group:ops'], approvals: 3 })).toBeUndefined()
  expect(electorateProblem({ ...ops, approvals: 3 })).toBeUndefined()
})
