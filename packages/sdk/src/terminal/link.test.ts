// Links in the terminal: what is shown, and when a browser opens.

import type { Question } from '@assent/core'
import { expect, test } from 'vitest'
import { fakeTerminal, key } from './fake-terminal.suite.ts'

test('[TERM-10] a link shows its host and what is suspicious about it, and is opened only when the person chooses to', async () => {
  const opened: string[] = []
  const openLink = async (url: string) => {
    opened.push(url)
  }
  const question: Question = { kind: 'url', message: 'leads to  github.com', url: 'https://github.com.evil.example/x' }
  const asked = async (...pressed: string[]) => {
    const fake = fakeTerminal({ openLink })
    const outcome = fake.terminal.ask(question)
    await fake.sees('┊ leads to  github.com')
    await fake.sees('leads to  github.com.evil.example')
    await fake.sees('danger: The name begins like another site, but it belongs to evil.example.')
    await fake.sees('Dismiss')
    await fake.press(...pressed)
    return outcome
  }

  expect(await asked('y', key.enter)).toEqual({ kind: 'answered', answer: { action: 'accept' } })
  expect(await asked('n', key.enter)).toEqual({ kind: 'answered', answer: { action: 'decline' } })
  expect(await asked('x', key.enter)).toEqual({ kind: 'answered', answer: { action: 'cancel' } })
  expect(opened).toEqual([])
  expect(await asked('o', key.enter)).toEqual({ kind: 'answered', answer: { action: 'accept' } })
  expect(opened).toEqual(['https://github.com.evil.example/x'])
})

test('[TERM-10] a link that must not be opened is not shown', async () => {
  const { terminal, drawn } = fakeTerminal()
  for (const url of ['javascript:alert(1)', 'http://example.com', 'https://user@example.com']) {
    expect(await terminal.ask({ kind: 'url', message: 'Open', url })).toMatchObject({ kind: 'undeliverable' })
  }
  expect(drawn()).not.toContain('example.com')
})

test('[TERM-10] if the browser does not open, the person is asked to open the link', async () => {
  const { terminal, press, sees } = fakeTerminal({ openLink: () => Promise.reject(new Error('no browser here')) })
  const outcome = terminal.ask({ kind: 'url', message: 'Sign in', url: 'https://example.com/' })

  await sees('Dismiss')
  await press('o', key.enter)
  await sees('The browser did not open (no browser here).')

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'accept' } })
})
