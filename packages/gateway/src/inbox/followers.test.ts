import type { ApprovalRule, Person } from '@assent/core'
import type { Change } from '@assent/store'
import { expect, test } from 'vitest'
import { Followers } from './followers.ts'

const ann: Person = { principal: 'ann', groups: ['ops'] }
const ben: Person = { principal: 'ben', groups: ['ops', 'admins'] }
const cleo: Person = { principal: 'cleo', groups: [] }

function changeFor(approvers: ApprovalRule['approvers'], excluded: ApprovalRule['excluded'] = []): Change {
  const approvalRule = { approvers, excluded, approvals: 1, declines: 1 }
  return { id: 'ask_1', move: 'raised', approvalRule, principal: 'agent' }
}

function withPages(...people: readonly Person[]) {
  const followers = new Followers<{ readonly person: Person }>()
  const pages = people.map((person) => ({ person }))
  for (const page of pages) followers.add(page)
  return { followers, pages }
}

test('[INBOX-5] a change finds every page of its people once, and no other page', () => {
  const { followers, pages } = withPages(ann, ann, ben, cleo)
  const [first, second, ofBen, ofCleo] = pages

  expect(followers.of(changeFor(['person:ann']))).toEqual([first, second])
  expect(followers.of(changeFor(['person:ben', 'group:ops', 'group:admins']))).toEqual([ofBen, first, second])
  expect(followers.of(changeFor(['group:empty']))).toEqual([])
  expect(followers.of({ ...changeFor(['person:ben']), principal: 'cleo' })).toEqual([ofBen, ofCleo])
})

test('[INBOX-5] an excluded person gets no change, unless the ask is their own', () => {
  const { followers, pages } = withPages(ann, ben)

  expect(followers.of(changeFor(['group:ops'], ['ben']))).toEqual([pages[0]])
  expect(followers.of({ ...changeFor(['group:ops'], ['ben']), principal: 'ben' })).toHaveLength(2)
})

test('[INBOX-5] a closed page gets no further change, and the other pages of its person do', () => {
  const { followers, pages } = withPages(ann, ann, ben)
  const [first, second, ofBen] = pages
  expect([followers.size, followers.countOf(ann), followers.countOf(cleo)]).toEqual([3, 2, 0])

  expect(first !== undefined && followers.delete(first)).toBe(true)
  expect(first !== undefined && followers.delete(first)).toBe(false)

  expect([followers.size, followers.countOf(ann)]).toEqual([2, 1])
  expect(followers.of(changeFor(['group:ops']))).toEqual([second, ofBen])
  expect([...followers]).toEqual([second, ofBen])
})
