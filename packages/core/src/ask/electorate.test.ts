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
const unfair: [what: string, change: Partial<Electorate>][] = [
  ['nobody', { approvers: [] }],
  ['more approvers than the limit', { approvers: tooMany }],
  ['more barred people than the limit', { barred: tooMany }],
  ['the same approver twice', { approvers: ['person:ann', 'person:ann'] }],
  ['an approver with a control character', { approvers: ['person:a\u0000'] }],
  ['a barred person without a name', { barred: [''] }],
  ['no approvals', { approvals: 0 }],
  ['half a decline', { declines: 0.5 }],
  ['more approvals than the limit', { approvals: askLimits.approvals + 1 }],
  ['fewer people than approvals', { approvers: ['person:ann'], approvals: 2 }],
  ['only barred people', { approvers: ['person:ben'] }],
]

test.each(unfair)('[ASK-9] an electorate of %s is refused in words', (_, change) => {
  expect(electorateProblem({ ...ops, ...change })).toMatch(/^[A-Z].*\.$/)
})

test('[ASK-9] a group may be large enough for any quorum', () => {
  expect(electorateProblem({ ...ops, approvers: ['group:ops'], approvals: 3 })).toBeUndefined()
})
