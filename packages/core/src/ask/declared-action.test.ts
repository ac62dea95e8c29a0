import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { actionDigest } from '../digest/action.ts'
import { digestOf } from '../digest/digest.ts'
import { form, text } from '../form/build.ts'
import { newId } from '../ids.ts'
import { askLimits } from '../limits.ts'
import { soleApprover } from './approval-rule.ts'
import { draftProblem } from './ask.ts'
import { decisionForm } from './decision.ts'
import { actionMeta, actionMetaOf, type DeclaredAction, readDeclaredAction } from './declared-action.ts'
import type { Question } from './question.ts'

const action = {
  server: 'ops',
  tool: 'wipe',
  definitionDigest: digestOf('tool definition v1', {}),
  arguments: { force: true, disk: 'sda' },
}
const declared: DeclaredAction = {
  title: 'Wipe the disk',
  action,
  digest: actionDigest(action),
  claim: 'It is old.',
  reason: 'It is unused.',
}
const paramsOf = (changed: object = {}) => {
  const member = actionMeta(declared)['assent/action'] as object
  return { _meta: { 'assent/action': { ...member, ...changed } } }
}

test('[CARD-14] a declared action is sent as canonical bytes without a digest, and read with the digest computed again', () => {
  expect(actionMeta(declared)).toEqual({
    'assent/action': {
      title: 'Wipe the disk',
      action: `{"arguments":{"disk":"sda","force":true},"definitionDigest":"${action.definitionDigest}","server":"ops","tool":"wipe"}`,
      claim: 'It is old.',
      reason: 'It is unused.',
    },
  })
  expect(readDeclaredAction(paramsOf())).toEqual(declared)
  expect(readDeclaredAction(paramsOf({ digest: 'sha256:00', other: 1 }))).toEqual(declared)
  expect(actionMetaOf(paramsOf({ other: 1 }))).toEqual(actionMeta(declared))
})

test('[CARD-14] what the server does not say is absent', () => {
  const { title, digest } = declared
  expect(readDeclaredAction({ _meta: actionMeta({ title, action, digest }) })).toStrictEqual({ title, action, digest })
})

test('[CARD-14] texts may be as long as a message and no longer, and are well-formed', () => {
  const longest = 'x'.repeat(askLimits.messageChars)
  for (const name of ['title', 'claim', 'reason']) {
    expect(readDeclaredAction(paramsOf({ [name]: longest }))).toHaveProperty(name, longest)
    for (const wrong of [`${longest}x`, '\ud800', 7, null, {}])
      expect(readDeclaredAction(paramsOf({ [name]: wrong }))).toBeUndefined()
  }
})

test.each([
  [undefined],
  [{}],
  [{ _meta: null }],
  [{ _meta: { 'assent/action': null } }],
  [{ _meta: Object.create({ 'assent/action': {} }) }],
  [paramsOf({ title: '\n' })],
  [paramsOf({ action: JSON.stringify(action) })],
  [paramsOf({ action: JSON.stringify({ ...action, arguments: [] }) })],
  [paramsOf({ action: 'null' })],
  [paramsOf({ action: '' })],
])('[CARD-14] %j declares nothing', (params) => {
  expect(readDeclaredAction(params)).toBeUndefined()
  expect(actionMetaOf(params)).toEqual({})
})

test('[CARD-14] an ask with a wrong digest, or with another form, is refused', () => {
  const problemOf = (question: Question) =>
    draftProblem({
      tenant: 'acme',
      id: newId('ask', 1, randomBytes),
      asker: { server: 'deploy' },
      principal: 'ben',
      question,
      approvalRule: soleApprover('ann'),
      decideWithinMs: 60_000,
      useWithinMs: 60_000,
    })
  const asked = { kind: 'form', message: 'May I?', form: decisionForm } as const

  expect(problemOf({ ...asked, declared })).toBeUndefined()
  const changed = { ...declared, action: { ...action, arguments: { disk: 'sdb' } } }
  expect(problemOf({ ...asked, declared: changed })).toBe('The declared digest is not that of its action.')
  const otherForm = { ...asked, form: form({ why: text() }), declared }
  expect(problemOf(otherForm)).toBe('Only a question for an approval can declare an action.')
})
