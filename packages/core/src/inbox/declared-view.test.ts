// How the action that a server declares is drawn, and which answers can be undone.

import { expect, test } from 'vitest'
import { soleApprover } from '../ask/approval-rule.ts'
import { type Ask, raise } from '../ask/ask.ts'
import { decisionForm } from '../ask/decision.ts'
import type { Question } from '../ask/question.ts'
import { actionDigest } from '../digest/action.ts'
import { digestOf } from '../digest/digest.ts'
import { askView, type DisplayNames } from './ask-view.ts'

const ann = { principal: 'ann', groups: [] }
const naming: DisplayNames = { nameOf: (principal) => principal, describe: () => ({}) }
const viewOf = (question: Question) => askView(askOf(question), ann, naming)

function askOf(question: Question): Ask {
  const draft = {
    tenant: 'acme',
    id: 'ask_1',
    asker: { server: 'deploy' },
    principal: 'ann',
    question,
    approvalRule: soleApprover('ann'),
    decideWithinMs: 60_000,
    useWithinMs: 60_000,
  }
  return raise(draft, 1_000)
}

const action = {
  server: 'ops',
  tool: 'roll\u202Eout',
  definitionDigest: digestOf('tool definition v1', {}),
  arguments: { env: 'production', note: '4' },
}
const declared = { title: 'Roll out\n4.2', action, digest: actionDigest(action) }
const asked = { kind: 'form', message: 'Approve: Roll out', form: decisionForm, declared } as const
const declaredIn = (changes: Partial<Question & { kind: 'form' }>) => viewOf({ ...asked, ...changes }).question

test('[CARD-14] it is drawn in place of the message, and its title is the headline', () => {
  const view = viewOf(asked)
  expect(view.headline).toBe('Roll out')
  expect(view.question).toMatchObject({
    claim: '',
    decision: { content: { decision: 'approve' } },
    declared: {
      title: 'Roll out⟨U+000A⟩4.2',
      tool: 'roll⟨U+202E⟩out',
      digest: declared.digest,
      arguments: [
        { name: 'env', value: 'production', shape: 'plain' },
        { name: 'note', value: '"4"', shape: 'plain' },
      ],
    },
  })
  expect(view.question).toHaveProperty('declared.json', expect.stringContaining('"server": "ops"'))
})

test('[CARD-14] the texts of the server are its claim', () => {
  const withTexts = (texts: object) => declaredIn({ declared: { ...declared, ...texts } })
  expect(withTexts({ claim: 'Safe.' })).toHaveProperty('claim', 'Safe.')
  expect(withTexts({ reason: 'Due.' })).toHaveProperty('claim', 'Why: Due.')
  expect(withTexts({ claim: 'Safe.', reason: 'Due.' })).toHaveProperty('claim', 'Safe.\n\nWhy: Due.')
})

test('[CARD-14] it is the call only if tool and arguments are the same', () => {
  const { tool, arguments: given } = action
  expect(declaredIn({ call: { tool, arguments: { note: '4', env: 'production' } } })).toHaveProperty(
    'declared.isCall',
    true,
  )
  for (const call of [
    { tool },
    { tool: 'rollout', arguments: given },
    { tool, arguments: { ...given, more: 1 } },
    { kind: 'prompt', tool, arguments: given },
  ] as const)
    expect(declaredIn({ call })).not.toHaveProperty('declared.isCall')
  expect(declaredIn({})).not.toHaveProperty('declared.isCall')
})

test('[CARD-15] only a yes to something destructive can be undone, for as long as the configuration says', () => {
  const undoOf = (question: Question, undoMs?: number) =>
    askView(askOf(question), ann, undoMs === undefined ? naming : { ...naming, undoMs: () => undoMs }).undoMs
  expect(undoOf(asked)).toBeUndefined()
  expect(undoOf({ ...asked, isDestructive: true })).toBe(5_000)
  expect(undoOf({ ...asked, isInDestructiveTool: true })).toBe(5_000)
  expect(undoOf({ ...asked, isDestructive: true }, 1)).toBe(1)
  expect(undoOf({ ...asked, isDestructive: true }, 0)).toBeUndefined()
  const { title, digest } = declared
  const approval = { kind: 'approval', title, action, digest } as const
  expect(undoOf(approval)).toBeUndefined()
  for (const mark of [{ isDestructive: true }, { isInDestructiveTool: true }] as const) {
    expect(undoOf({ ...approval, ...mark })).toBe(5_000)
    expect(askView(askOf({ ...approval, ...mark }), ann, naming).question).toMatchObject(mark)
  }
  const ended = { ...askOf({ ...asked, isDestructive: true }), state: { kind: 'expired', atMs: 1 } } as const
  expect(askView(ended, ann, naming)).not.toHaveProperty('undoMs')
  expect(declaredIn({ isDestructive: true })).toHaveProperty('isDestructive', true)
  expect(declaredIn({})).not.toHaveProperty('isDestructive')
})
