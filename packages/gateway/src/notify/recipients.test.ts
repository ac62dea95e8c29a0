import type { ApprovalRule, Approver } from '@assent/core'
import { expect, test } from 'vitest'
import { deliveriesOf, type RecipientSettings } from './recipients.ts'

const issuer = 'https://login.example.com'

const chat = { url: new URL('https://chat.example.com'), format: 'slack', secret: undefined, token: undefined } as const

const settings: RecipientSettings = {
  issuer,
  notify: {
    to: {
      'group:ops': ['chat', 'team'],
      'group:leads': ['chat'],
      'person:ann': ['own'],
      [`person:${issuer}#ben`]: ['chat'],
      'person:*': ['own'],
    },
    channels: {
      chat: { webhook: chat, mail: undefined },
      team: { webhook: undefined, mail: { to: ['a@example.com', 'b@example.com'], domain: undefined } },
      own: { webhook: undefined, mail: { to: [], domain: 'example.com' } },
    },
  },
}

function keysFor(approvers: readonly Approver[], changes: Partial<ApprovalRule> = {}): string[] {
  const approvalRule = { approvers, excluded: [], approvals: 1, declines: 1, ...changes }
  return deliveriesOf({ approvalRule }, settings).map(({ key }) => key)
}

test('[MESSAGE-1] groups and people are notified by their channels, each address once', () => {
  expect(keysFor(['group:ops'])).toEqual(['chat', 'team a@example.com', 'team b@example.com'])
  expect(keysFor(['group:ops', 'group:leads'])).toEqual(['chat', 'team a@example.com', 'team b@example.com'])
  expect(keysFor(['group:others'])).toEqual([])
  expect(keysFor(['group:constructor', 'group:__proto__'])).toEqual([])
})

test('[MESSAGE-1] a person is named by subject or in full, and others by the entry for everyone', () => {
  expect(keysFor([`person:${issuer}#ann`])).toEqual(['own ann@example.com'])
  expect(keysFor([`person:${issuer}#ben`])).toEqual(['chat'])
  expect(keysFor([`person:${issuer}#cleo`])).toEqual(['own cleo@example.com'])
  expect(keysFor(['person:dan'])).toEqual(['own dan@example.com'])
})

test('[MESSAGE-1] a group of groups is notified if any of its members may decide, besides the entries of the member', () => {
  const groups = {
    release: ['group:managers', 'group:ops', 'person:ann', 'person:zoe'],
    silent: ['person:cleo'],
  } as const
  const to = { release: ['chat'], 'group:ops': ['team'], 'person:ann': ['own'], 'person:*': ['own'] }
  const withGroups = { ...settings, groups, notify: { ...settings.notify, to } }
  const keys = (...approvers: Approver[]) =>
    deliveriesOf({ approvalRule: { approvers, excluded: [], approvals: 1, declines: 1 } }, withGroups).map(
      ({ key }) => key,
    )

  expect(keys('group:managers')).toEqual(['chat'])
  expect(keys('group:ops')).toEqual(['team a@example.com', 'team b@example.com', 'chat'])
  expect(keys('group:managers', 'group:ops', `person:${issuer}#ann`).filter((key) => key === 'chat')).toHaveLength(1)
  expect(keys(`person:${issuer}#ann`)).toEqual(['own ann@example.com', 'chat'])
  expect(keys(`person:${issuer}#zoe`)).toEqual(['chat'])
  // The entry for everyone applies to a person whose groups have no entry.
  expect(keys(`person:${issuer}#cleo`)).toEqual(['own cleo@example.com'])
  // A group at the issuer with the same name as one of ours, and people of another issuer.
  expect(keys('group:release')).toEqual([])
  expect(keys('person:https://other.example#zoe')).toEqual([])
})

test('[MESSAGE-1] a member of a group who is excluded from deciding is not notified for it', () => {
  const withGroups = {
    ...settings,
    groups: { release: ['person:ann'] },
    notify: { ...settings.notify, to: { release: ['chat'] } },
  } as const
  const approvalRule = { approvers: [`person:${issuer}#ann`], approvals: 1, declines: 1 } as const

  expect(deliveriesOf({ approvalRule: { ...approvalRule, excluded: [`${issuer}#ann`] } }, withGroups)).toEqual([])
  expect(deliveriesOf({ approvalRule: { ...approvalRule, excluded: [] } }, withGroups)).toHaveLength(1)
})

test('[MESSAGE-1] a subject that is an address of the domain is used as it is, and one that cannot be an address is not', () => {
  expect(keysFor([`person:${issuer}#Dan@Example.com`])).toEqual(['own Dan@example.com'])
  for (const subject of ['eve@other.example', 'a b', 'x@y@example.com', '"q"', 'a,b', 'a\u00e9'])
    expect([subject, keysFor([`person:${issuer}#${subject}`])]).toEqual([subject, []])
  expect(keysFor(['person:https://other.example#ann'])).toEqual([])
})

test('[MESSAGE-1] a person who is excluded from deciding is not notified', () => {
  const excluded = { excluded: [`${issuer}#ann`] }

  expect(keysFor([`person:${issuer}#ann`, `person:${issuer}#ben`], excluded)).toEqual(['chat'])
})
