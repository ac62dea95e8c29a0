// Parts of a card that only some asks have.

import { expect, test } from 'vitest'
import { type Ask, raise, withdraw } from '../ask/ask.ts'
import { aDraft, noon, rollOut } from '../ask/asks.corpus.ts'
import type { Question } from '../ask/question.ts'
import { askView, type DisplayNames } from './ask-view.ts'
import { withdrawnTexts } from './ending-text.ts'

const ann = { principal: 'ann', groups: [] }
const naming: DisplayNames = { nameOf: (principal) => principal, describe: () => ({}) }
const confirmation: Question = { kind: 'form', message: 'Sure?', form: { fields: [] } }
const asked = (changes: Parameters<typeof aDraft>[0] = {}): Ask => raise(aDraft(changes), noon)
const view = (ask: Ask, names: DisplayNames = naming) => askView(ask, ann, names)

test('[PRESENCE-2] a card says that its accept needs a passkey: since it was raised, or by the setting in force', () => {
  const ask = asked({ question: rollOut() })
  expect(view(ask)).not.toHaveProperty('needsPresence')
  expect(view({ ...ask, needsPresence: true })).toMatchObject({ needsPresence: true })
  expect(view(ask, { ...naming, presence: () => 'all' })).toMatchObject({ needsPresence: true })
})

test('[INBOX-13] an approval shows the server’s description and the policies that require it, apart from the action', () => {
  const shown = view(asked({ question: { ...rollOut(), claim: 'Rolls it out', policies: ['release\u202e'] } }))
  expect(shown.question).toMatchObject({ claim: 'Rolls it out' })
  expect(JSON.stringify(shown.question)).toContain('release')
  expect(JSON.stringify(shown.question)).not.toContain('\u202e')
  expect(view(asked({ question: rollOut() })).question).not.toHaveProperty('claim')
})

test('[INBOX-4] a withdrawn ask has the reason, and one that a client answered too fast says so', () => {
  const moved = withdraw(asked(), 'asker-stopped', noon)
  if (!moved.ok) throw new Error(moved.reason)
  expect(view(moved.ask).state).toMatchObject({ kind: 'withdrawn', what: withdrawnTexts['asker-stopped'] })
  expect(view({ ...asked(), fastAnswer: { action: 'accept', afterMs: 5 } })).toHaveProperty('askedAgain')
})

test('[INBOX-13] the headline of a confirmation has the tool of its call, or the server alone', () => {
  const headline = (question: Question, asker: Ask['asker']) => view(asked({ question, asker })).headline
  const server = { server: 'deploy' }
  expect(headline({ ...confirmation, call: { tool: 'rollout' } }, server)).toBe('deploy asks you to confirm: rollout')
  expect(headline(confirmation, { ...server, tool: 'status' })).toBe('deploy asks you to confirm: status')
  expect(headline(confirmation, server)).toBe('deploy asks you to confirm')
  expect(headline({ ...confirmation, oneOf: [{ tool: 'a' }, { tool: 'b' }] }, server)).toBe(
    'deploy asks you to confirm',
  )
})
