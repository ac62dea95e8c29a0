// Forms of several fields, and fields that may be left out.

import { boolean, choice, choices, form, optional, text } from '@assent/core'
import { expect, test } from 'vitest'
import { fakeTerminal, key } from './fake-terminal.suite.ts'
import { accepted, asks } from './questions.suite.ts'

test('[TERM-3] optional fields can be left out, required ones cannot', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const asked = form({
    name: text(),
    note: optional(text()),
    size: optional(choice(['s', 'm'])),
    sure: optional(boolean()),
    tags: optional(choices(['a', 'b'], { minItems: 1 })),
  })
  const outcome = terminal.ask(asks('A few things', asked))

  await sees('name  (1 of 5)')
  await press(key.enter)
  await sees('This is required.')
  await press('x', key.enter)
  await sees('note  (2 of 5)')
  await press(key.enter)
  await sees('size  (3 of 5)')
  await press(key.up, key.enter)
  await sees('sure  (4 of 5)')
  await press(key.up, key.enter)
  await sees('tags  (5 of 5)')
  await press(key.enter)
  await sees('Give these answers?')
  await press('y', key.enter)

  expect(await outcome).toEqual(accepted({ name: 'x' }))
})

test('[TERM-3] a form of several fields is reviewed as a whole, and each answer can be changed', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const asked = form({ name: text({ title: 'Name' }), size: choice(['small', 'large'], { title: 'Size' }) })
  const outcome = terminal.ask(asks('Two things', asked))

  await sees('Name  (1 of 2)')
  await press('first', key.enter)
  await sees('Size  (2 of 2)')
  await press(key.down, key.enter)
  await sees('Give these answers?')
  await press('c', key.enter)
  await sees('Which one?')
  await press(key.down, key.enter)
  await sees('first')
  await press(...Array.from({ length: 5 }, () => key.backspace), 'second', key.enter)
  await sees('Give these answers?')
  await press('y', key.enter)

  expect(await outcome).toEqual(accepted({ name: 'second', size: 'small' }))
})

test('[TERM-3] a suggestion of several lines is accepted as a whole or not at all', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const suggestion = 'first line\nsecond line'
  const outcome = terminal.ask(asks('Notes?', form({ notes: text({ default: suggestion }) })))

  await sees('suggested: first line⟨U+000A⟩second line')
  await press(key.enter)

  expect(await outcome).toEqual(accepted({ notes: suggestion }))
})
