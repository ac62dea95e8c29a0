import type { Answer, AskState } from '@assent/core'
import { expect, test } from 'vitest'
import { askMessage, messageHeading, titleWithoutLinks } from './ask-message.ts'
import { aMessage, anAsk, inboxUrl, minuteMs, noon, privateText } from './message-asks.suite.ts'

const context = { inboxUrl, remindBeforeMs: 10 * minuteMs }

function settled(answer: Answer): AskState {
  return { kind: 'settled', atMs: noon + 1, answer, by: 'decider', via: 'inbox', decisionId: 'd' }
}

test('[MESSAGE-3] a message has the ids, the title and the link of its ask, and nothing else of it', () => {
  const ask = anAsk()

  expect(askMessage(ask, 'raised', context)).toEqual({
    id: `${ask.id}_raised`,
    kind: 'raised',
    askId: ask.id,
    title: 'Roll out',
    link: `https://assent.example.com/asks/${ask.id}`,
    atMs: noon,
    expiresAtMs: noon + 60 * minuteMs,
  })
  expect(askMessage(ask, 'expiring', context)).toMatchObject({ id: `${ask.id}_expiring`, atMs: noon + 50 * minuteMs })
})

test.each<[AskState, string]>([
  [settled({ action: 'accept', comment: privateText }), 'approved'],
  [settled({ action: 'decline', comment: privateText }), 'declined'],
  [settled({ action: 'cancel' }), 'dismissed'],
  [{ kind: 'expired', atMs: noon + 1 }, 'expired'],
  [{ kind: 'withdrawn', reason: 'caller-gone', atMs: noon + 1 }, 'withdrawn'],
])('[MESSAGE-3] the end is one word, without the person and what they wrote: %o', (state, outcome) => {
  const message = askMessage(anAsk({}, state), 'ended', context)

  expect(message).toMatchObject({ outcome, atMs: noon + 1 })
  expect(JSON.stringify(message)).not.toMatch(/decider|pr1vate/)
  expect(messageHeading(message)).toContain(outcome)
})

test('[MESSAGE-3] the answer to a form is not part of the message', () => {
  const question = { kind: 'form', message: 'Which region?', form: { fields: [] } } as const
  const ask = anAsk({ question }, settled({ action: 'accept', content: { region: privateText } }))

  const message = askMessage(ask, 'ended', context)

  expect(message.outcome).toBe('answered')
  expect(JSON.stringify(message)).not.toContain(privateText)
})

test('[MESSAGE-7] a title is one line, and invisible characters in it are visible', () => {
  const message = askMessage(anAsk({ title: 'Roll \u202Eout\u200B\nSecond line' }), 'raised', context)

  expect(message.title).toBe('Roll ⟨U+202E⟩out⟨U+200B⟩')
})

test('[MESSAGE-7] addresses in a title are not links for a person', () => {
  const title = 'See HTTPS://evil.example, WWW.evil.example or mailto:x@evil.example'

  expect(titleWithoutLinks(aMessage({ title }))).toBe(
    'See HTTPS: //evil .example, WWW .evil .example or mailto :x @evil .example',
  )
})

test.each<[string, string]>([
  ['Sign in at assent-login.example.com/x', 'Sign in at assent-login .example .com/x'],
  ['Ask it@evil.example, it@localhost', 'Ask it @evil .example, it @localhost'],
  ['evil.xn--p1ai пример.рф उदाहरण.भारत i❤️.ws', 'evil .xn--p1ai пример .рф उदाहरण .भारत i❤️ .ws'],
  ['www.1and1.com evil\uFF0Eexample', 'www .1and1 .com evil \uFF0Eexample'],
  ['Open evil\u3002example', 'Open evil \u3002example'],
  ['Change package.json and src/app.ts', 'Change package .json and src/app .ts'],
  ...[
    'Copy 1.5 GB to /data, e.g. this. Then stop... and wait.',
    'Release v1.2.3-rc.1 at 10.30 a.m.',
    'Run ./build in .github for @acme/web, 3 @ 4',
    '请确认。删除文件',
  ].map((title): [string, string] => [title, title]),
])('[MESSAGE-7] a host or an address without a scheme is broken, other text is not: %j', (title, shown) => {
  expect(titleWithoutLinks(aMessage({ title }))).toBe(shown)
})
