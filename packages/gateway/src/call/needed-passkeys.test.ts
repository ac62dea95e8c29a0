// Answers of clients to questions that need a passkey, which a client cannot have. None of them counts as a yes.

import type { PresenceSetting } from '@assent/core'
import { expect, test } from 'vitest'
import { settleAsks } from './hold/settle-asks.ts'
import type { InputRequest } from './model.ts'
import { markedForPresence, needsPasskey } from './presence.ts'
import { raiseAsk } from './route/inbox-asks.ts'
import { callOf, form, openRounds, stateOf } from './route/sample-rounds.suite.ts'
import { UnseenAnswers } from './route/unseen-answers.ts'
import { unseen } from './screen/screen-questions.ts'

const yes = { result: { action: 'accept', content: {} } }
const no = { result: { action: 'decline' } }
const link: InputRequest = { kind: 'url', message: 'Look.', url: 'https://example.com/', params: {} }
const text = { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] }

test.each<[PresenceSetting, readonly string[]]>([
  ['none', []],
  ['destructive', ['destructive']],
  ['approvals', ['approval', 'unreadable', 'destructive']],
  ['all', ['approval', 'unreadable', 'destructive', 'text', 'link']],
])('[PRESENCE-1] with the setting %s, these questions need a passkey: %j', (setting, needed) => {
  const wanted: Readonly<Record<string, InputRequest>> = {
    approval: form('Deploy?'),
    // It is refused later; until then it counts as an approval.
    unreadable: form('Deploy?', { type: 'object', properties: { a: { type: 'object' } } }),
    destructive: { ...form('Region?', text), isInDestructiveTool: true } as InputRequest,
    text: form('Region?', text),
    link,
    roots: { kind: 'roots', params: {} },
    sampling: { kind: 'sampling', params: {} },
  }
  const marked = Object.entries(markedForPresence(setting, wanted)).flatMap(([key, one]) =>
    'needsPresence' in one ? [key] : [],
  )
  expect(marked).toEqual(needed)
  // The mark stays, whatever the setting is later.
  for (const one of Object.values(markedForPresence(setting, wanted)))
    expect(needsPasskey('none', one)).toBe('needsPresence' in one)
})

test('[PRESENCE-2] an accept of the client for an ask that needs a passkey is a cancel, and the ask is ended', async () => {
  const { store, read } = await openRounds()
  const wanted = { ...form('Deploy?'), needsPresence: true } as InputRequest
  const id = await raiseAsk(store, callOf(), wanted, { server: 'deploy', waitMs: 60_000 })

  const given = await settleAsks(store, callOf(), new Map([['one', id ?? '']]), { one: yes }, true)

  expect(given).toEqual({ one: unseen })
  expect((await read(id))?.state).toMatchObject({ kind: 'settled', answer: { action: 'cancel' } })
})

test('[PRESENCE-2] a decline of the client needs no passkey', async () => {
  const { store, read } = await openRounds()
  const wanted = { ...form('Deploy?'), needsPresence: true } as InputRequest
  const id = await raiseAsk(store, callOf(), wanted, { server: 'deploy', waitMs: 60_000 })

  expect(await settleAsks(store, callOf(), new Map([['one', id ?? '']]), { one: no }, true)).toEqual({ one: no })
  expect((await read(id))?.state).toMatchObject({ kind: 'settled', answer: { action: 'decline' } })
})

test('[PRESENCE-2] without an inbox, every accept of the client is a cancel if a passkey became necessary', async () => {
  const { store } = await openRounds()
  const reports: unknown[] = []
  const screening = { unseenAfterMs: 0, askWaitMs: 60_000, presence: 'destructive' } as const
  const answers = new UnseenAnswers(store, screening, (_call, server, key, how) => reports.push([server, key, how]))
  const state = stateOf({}, { schemas: { one: text, two: text, roots: false } })
  const region = { result: { action: 'accept', content: { region: 'eu' } } }
  const roots = { result: { roots: [] } }

  expect(
    await answers.screen(callOf(), state, {
      one: { given: region, afterMs: 60_000 },
      two: { given: no, afterMs: 60_000 },
      roots: { given: roots },
    }),
  ).toEqual({ one: unseen, two: no, roots })
  expect(reports).toEqual([['deploy', 'one', 'unseen']])
})
