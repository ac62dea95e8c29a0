// Answers that look like a secret are confirmed before they are sent.

import { form, text } from '@assent/core'
import { expect, test } from 'vitest'
import { fakeTerminal, key } from './fake-terminal.suite.ts'
import { accepted, approval, asks } from './questions.suite.ts'

const serviceKey = `ghp_${'aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5'}`

test('[TERM-15] an answer that looks like a secret is sent only after the person has confirmed it', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const question = asks('What should I write?', form({ note: text({ title: 'Note' }) }))
  const outcome = terminal.ask(question)

  await sees('What should I write?')
  await press(serviceKey, key.enter)
  await sees('“Note” looks like the key of a service. Send it?')
  await press(key.enter)
  await sees('Choose one first')
  await press('n', key.enter)
  await sees('Asked again: “Note” looks like the key of a service. Nothing was sent.')
  await press(serviceKey, key.enter)
  await sees('Send it?')
  await press('s', key.enter)

  expect(await outcome).toEqual(accepted({ note: serviceKey }))
})

test('[TERM-15] a person who dismisses the confirmation sends nothing, and a no counts without its comment', async () => {
  const note = fakeTerminal()
  const dismissed = note.terminal.ask(asks('What?', form({ note: text() })))
  await note.sees('What?')
  await note.press(serviceKey, key.enter)
  await note.sees('Send it?')
  await note.press(key.escape)
  expect(await dismissed).toEqual({ kind: 'answered', answer: { action: 'cancel' } })

  const { terminal, press, sees } = fakeTerminal()
  const declined = terminal.ask(approval)
  await sees('Dismiss')
  await press('n', key.enter)
  await sees('Why?')
  await press(serviceKey, key.enter)
  await sees('The comment looks like the key of a service. Send it?')
  await press('n', key.enter)
  expect(await declined).toEqual({ kind: 'answered', answer: { action: 'decline' } })
})

test('[TERM-15] a question of another server is checked where it is settled, not here', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('What?', form({ note: text({ title: 'Note' }) })), { isRelayed: true })

  await sees('Note')
  await press(serviceKey, key.enter)

  expect(await outcome).toEqual(accepted({ note: serviceKey }))
})
