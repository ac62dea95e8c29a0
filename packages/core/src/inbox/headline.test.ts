// The title of an ask, which its card and its row share.

import { expect, test } from 'vitest'
import { soleApprover } from '../ask/approval-rule.ts'
import { raise } from '../ask/ask.ts'
import { decisionForm } from '../ask/decision.ts'
import type { Question } from '../ask/question.ts'
import { askView } from './ask-view.ts'
import type { AskView } from './view.ts'

function viewOf(question: Question): AskView {
  const draft = {
    tenant: 'acme',
    id: 'ask_1',
    asker: { server: 'disks', tool: 'clean' },
    principal: 'ann',
    question,
    approvalRule: soleApprover('ann'),
    decideWithinMs: 60_000,
    useWithinMs: 60_000,
  }
  const names = { nameOf: (principal: string) => principal, describe: () => ({ name: 'Disks' }) }
  return askView(raise(draft, 1_000), { principal: 'ann', groups: [] }, names)
}

const message = 'Let read_file continue\n\nI only look.'
const call = { tool: 'wipe\u202Edisk', arguments: { path: '/' } }

test('[CARD-23] a form for a decision has a title with the tool that was called, not with the server’s text', () => {
  const decision = { kind: 'form', message, form: decisionForm } as const
  expect(viewOf({ ...decision, call }).headline).toBe('Let wipe⟨U+202E⟩disk continue')
  expect(viewOf(decision).headline).toBe('Let Disks continue')
  expect(viewOf({ ...decision, call }).question).toMatchObject({ claim: message })
  // A yes to it approves none of the calls, so it is an ordinary question.
  expect(viewOf({ ...decision, oneOf: [call, call] }).headline).toBe('Let read_file continue')
})

test('[CARD-23] a link has a title with its site, a blocked one with its server, and a secret with its receiver', () => {
  const titleOf = (url: string) => viewOf({ kind: 'url', message, url }).headline
  expect(titleOf('https://accounts.calendar.example/connect')).toBe('Open a page on calendar.example')
  expect(titleOf('https://calendar.example@evil.example/')).toBe('Blocked link from Disks')
  const secret = { page: 'secret_1', publicKey: 'key' }
  expect(viewOf({ kind: 'url', message, url: 'https://inbox.example/', secret }).headline).toBe(
    'Send a secret to Disks',
  )
})

test('[CARD-24] a blocked link has its address as text that hides nothing', () => {
  const linkOf = (url: string) => viewOf({ kind: 'url', message, url }).question
  expect(linkOf('https://calendar.example@evil.example/')).toMatchObject({
    link: { ok: false, address: 'https://calendar.example@evil.example/' },
  })
  expect(linkOf('https://evil.example/\u202Etxt\n')).toMatchObject({
    link: { ok: false, address: 'https://evil.example/⟨U+202E⟩txt⟨U+000A⟩' },
  })
  expect(linkOf(`https://a@evil.example/${'x'.repeat(10_000)}`)).toHaveProperty(
    'link.address',
    expect.stringMatching(/ more characters⟩$/),
  )
})
