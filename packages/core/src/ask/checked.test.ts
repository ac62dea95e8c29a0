import { expect, test } from 'vitest'
import { askView, type DisplayNames } from '../inbox/ask-view.ts'
import { draftProblem, raise } from './ask.ts'
import { checkedBlock, withoutChecked } from './ask-meta.ts'
import { aDraft, region as aForm } from './asks.corpus.ts'
import type { Question } from './question.ts'

const region = aForm as Question & { kind: 'form' }
const checked = '- Committed: b70b06551 "feat: index".\n\n- Nothing is left uncommitted.'
const message = `Phase 1 is done.\n\n${checkedBlock(checked)}\n\nAll tests pass.`
const naming: DisplayNames = { nameOf: (principal) => principal, describe: () => ({}) }

function viewOf(question: Question) {
  return askView(raise(aDraft({ question }), 0), { principal: 'ann', groups: [] }, naming).question
}

test('[POINT-16] what Assent checked is shown apart from what the asker wrote', () => {
  const view = viewOf({ ...region, message, checked })

  expect(view).toMatchObject({ kind: 'form', claim: 'Phase 1 is done.\n\nAll tests pass.', checked })
})

test('[POINT-16] a block that the asker wrote itself stays in the claim', () => {
  const view = viewOf({ ...region, message })

  expect(view).toMatchObject({ claim: message })
  expect(view).not.toHaveProperty('checked')
})

test('[POINT-16] hidden characters in what was checked are made visible', () => {
  const hidden = '- left: a\u202Eb'
  const view = viewOf({ ...region, message: `Go on?\n\n${checkedBlock(hidden)}`, checked: hidden })

  expect(view).toMatchObject({ claim: 'Go on?', checked: '- left: a⟨U+202E⟩b' })
})

test.each([
  ['', 'Go on?'],
  ['- a', 'Go on?'],
  ['- a', `Go on?\n\n${checkedBlock('- a, b')}`],
  ['- a', `Go on? ${checkedBlock('- a')}`],
  ['- a', `Go on?\n\n${checkedBlock('- a')} and more`],
])('[POINT-16] %j that is not a paragraph of its message cannot be asked', (text, words) => {
  expect(withoutChecked(words, text)).toBeUndefined()
  expect(draftProblem(aDraft({ question: { ...region, message: words, checked: text } }))).toBeDefined()
  expect(viewOf({ ...region, message: words, checked: text })).not.toHaveProperty('checked')
})

test('[POINT-16] a question is complete without the member: the first block of its message is the checked one', () => {
  expect(draftProblem(aDraft({ question: { ...region, message, checked } }))).toBeUndefined()
  const twice = `${checkedBlock('- a')}\n\n${checkedBlock('- a')}`
  expect(withoutChecked(twice, '- a')).toBe(checkedBlock('- a'))
})
