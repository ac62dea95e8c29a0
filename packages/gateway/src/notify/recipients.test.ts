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
