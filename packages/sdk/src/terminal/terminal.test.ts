// Prompts of the terminal in general: keys, deadlines, queueing, escaping, secrets. On fake streams;
// real-terminal.test.ts uses a real terminal.

import { PassThrough } from 'node:stream'
import { type Action, actionDigest, boolean, choice, choices, form, type Question, text } from '@assent/core'
import { expect, test } from 'vitest'
import { fakeTerminal, key } from './fake-terminal.suite.ts'
import { accepted, action, approval, asks } from './questions.suite.ts'

test('[TERM-5] text pasted past the end of one prompt does not answer the next', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('Two', form({ a: text(), b: text() })))

  await sees('a  (1 of 2)')
  await press('one\rtwo\ra\r')
  await sees('b  (2 of 2)')
  await press(key.ctrlC)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'cancel' } })
})

test.each([
  ['Escape', key.escape, 'cancel'],
  ['Ctrl-C', key.ctrlC, 'cancel'],
  ['Ctrl-D', key.ctrlD, 'decline'],
] as const)('[TERM-6] %s at any prompt is a no, and the terminal is restored', async (_, pressed, answer) => {
  for (const question of [
    approval,
    asks('Name?', form({ n: text() })),
    asks('Which?', form({ c: choice(['a', 'b']) })),
  ]) {
    const { terminal, press, sees, keys, drawnRaw } = fakeTerminal()
    const outcome = terminal.ask(question)

    await sees('◆')
    expect(keys.isRaw).toBe(true)
    await press(pressed)

    expect(await outcome).toEqual({ kind: 'answered', answer: { action: answer } })
    expect(keys.isRaw).toBe(false)
    expect(keys.isPaused()).toBe(true)
    expect(keys.listenerCount('data')).toBe(0)
    // The cursor is hidden while a prompt is drawn.
    expect(drawnRaw().lastIndexOf('\u001b[?25h')).toBeGreaterThan(drawnRaw().lastIndexOf('\u001b[?25l'))
  }
})

test('[TERM-7] a deadline is shown, and closes the prompt', async () => {
  const { terminal, sees, keys } = fakeTerminal()
  const outcome = terminal.ask(approval, { decideByMs: Date.now() + 3_000 })

  await sees('expires at')
  await sees('Dismiss')
  expect(await outcome).toEqual({ kind: 'expired' })
  await sees('Timed out')
  expect(keys.isRaw).toBe(false)
})

test('[TERM-7] a question whose deadline has passed is not shown', async () => {
  const { terminal, drawn } = fakeTerminal()
  expect(await terminal.ask(approval, { decideByMs: Date.now() - 1 })).toEqual({ kind: 'expired' })
  expect(drawn()).toBe('')
})

test('[TERM-7] a question that is withdrawn disappears', async () => {
  const { terminal, sees } = fakeTerminal()
  const controller = new AbortController()
  const outcome = terminal.ask(approval, { signal: controller.signal })

  await sees('Dismiss')
  controller.abort()

  expect(await outcome).toEqual({ kind: 'withdrawn' })
  await sees('No longer needed')
})

test('[TERM-8] without a terminal no person is asked', async () => {
  for (const options of [{ input: new PassThrough() }, { output: new PassThrough() }]) {
    const { terminal, drawn } = fakeTerminal(options)
    expect(terminal.usable).toBe(false)
    expect(await terminal.ask(approval)).toMatchObject({ kind: 'undeliverable' })
    expect(await terminal.askSecret('Key?')).toMatchObject({ kind: 'undeliverable' })
    expect(drawn()).toBe('')
  }
})

test('[TERM-8] a terminal that closes does not answer', async () => {
  const { terminal, sees, keys } = fakeTerminal()
  const outcome = terminal.ask(approval)

  await sees('Dismiss')
  keys.end()

  expect(await outcome).toMatchObject({ kind: 'undeliverable' })
  expect(await terminal.ask(approval)).toMatchObject({ kind: 'undeliverable' })
})

test('[TERM-9] questions wait for each other, and expire while they wait', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const first = terminal.ask(asks('First?', form({ n: text() })))
  const second = terminal.ask(asks('Second?', form({ n: text() })), { decideByMs: Date.now() + 100 })
  const third = terminal.ask(asks('Third?', form({ n: text() })))

  await sees('First?')
  expect(await second).toEqual({ kind: 'expired' })
  await press('1', key.enter)
  await sees('Third?')
  await press('3', key.enter)

  expect(await first).toEqual(accepted({ n: '1' }))
  expect(await third).toEqual(accepted({ n: '3' }))
  expect(drawn()).not.toContain('Second?')
})

test('[TERM-11] no control or bidi character of an asker, or of what is pasted, reaches the screen', async () => {
  const evil = '\u001b[2J\u202Eevil\u0007\r\u200B'
  const hostile: Action = { ...action, arguments: { [`k${evil}`]: evil, list: [evil] } }
  const questions: Question[] = [
    { kind: 'approval', title: evil, action: hostile, digest: actionDigest(hostile), claim: evil },
    asks(evil, form({ a: text({ title: evil, description: evil, default: evil }) })),
    asks(evil, form({ a: choice([{ value: 'x', label: evil }, 'y'], { title: evil }) })),
    asks(
      evil,
      form({ a: choices([{ value: 'x', label: evil }, 'y']), b: boolean({ title: evil, description: evil }) }),
    ),
    { kind: 'url', message: evil, url: 'https://example.com/' },
  ]
  for (const question of questions) {
    const { terminal, press, sees, drawnRaw } = fakeTerminal()
    const outcome = terminal.ask(question, { asker: { server: evil, tool: evil } })
    await sees('└')
    await press(key.ctrlC)
    await outcome
    for (const raw of ['\u202E', '\u200B', '\u0007', '\r', '\u001b[2J']) expect(drawnRaw()).not.toContain(raw)
    expect(drawnRaw()).toContain('⟨U+202E⟩')
  }
})

test('[TERM-11] pasted text is drawn by the same rules, and sent unchanged', async () => {
  const { terminal, press, sees, drawnRaw } = fakeTerminal()
  const outcome = terminal.ask(asks('Name?', form({ n: text() })))

  await sees('Name?')
  await press('a\u202Eb')
  await sees('a⟨U+202E⟩b')
  await press(key.enter)

  expect(await outcome).toEqual(accepted({ n: 'a\u202Eb' }))
  expect(drawnRaw()).not.toContain('\u202E')
})

test('[TERM-12] a secret is drawn as marks, and is returned apart from answers', async () => {
  const { terminal, press, sees, drawnRaw } = fakeTerminal()
  const outcome = terminal.askSecret('The key of the registry', { asker: { server: 'acme' } })

  await sees('acme asks for a secret')
  await press(key.enter)
  await sees('Nothing was typed yet.')
  await press('h', 'u', 'n', 't', 'e', 'r', '2')
  await sees('•••••••')
  await press(key.enter)

  expect(await outcome).toEqual({ kind: 'given', secret: 'hunter2' })
  expect(drawnRaw()).not.toMatch(/hunter|hunt|[^e]r2/)
})

test('[TERM-12] a secret that is not entered is a no', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.askSecret('Key?')
  await sees('Key?')
  await press(key.ctrlD)
  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'decline' } })
})

test('[TERM-14] if the question may stay open, Escape leaves it open and Ctrl-X dismisses it', async () => {
  const ask = { mayLeave: true } as const
  const name = asks('Name it', form({ name: text() }))
  const left = fakeTerminal()
  const [first, second] = [left.terminal.ask(name, ask), left.terminal.ask(approval, ask)]
  await left.sees('ctrl+x dismisses · esc leaves it open')
  await left.press('abc', key.escape)
  await left.sees('Left open.')
  await left.sees('esc leaves it open')
  await left.press(key.ctrlC)
  expect([await first, await second]).toEqual([{ kind: 'left' }, { kind: 'left' }])

  const dismissed = fakeTerminal()
  const outcome = dismissed.terminal.ask(name, ask)
  await dismissed.sees('Name it')
  await dismissed.press('\u0018')
  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'cancel' } })
})

test('[TERM-14] only the allowed answers are offered', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const outcome = terminal.ask(approval, { answers: ['accept', 'decline'], mayLeave: true })

  await sees('Your decision')
  await press('x', key.enter)
  await sees('Choose one first')
  expect(drawn()).not.toContain('Dismiss')
  await press('\u0018')
  await press('n', key.enter)
  await sees('Why?')
  await press(key.enter)
  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'decline' } })
})

test('[TERM-14] [TERM-11] the text of another server’s question is set apart, and a bad link can be declined, not approved', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const bad: Question = { kind: 'url', message: 'Trust me\n▲ note: safe', url: 'https://user@bank.example/' }
  const others = { isRelayed: true, statusLines: ['asked by a\u001b[2Jb'] } as const
  const link = terminal.ask(bad, others)
  await sees('danger: The link contains a user name')
  await sees('┊ ▲ note: safe')
  await sees('asked by a⟨U+001B⟩[2Jb')
  expect(drawn()).not.toContain('Approve')
  await press('n', key.enter)
  expect(await link).toEqual({ kind: 'answered', answer: { action: 'decline' } })

  const named = terminal.ask(asks('Name it', form({ name: text({ title: 'Name' }) })), others)
  await sees('says (not checked by Assent)')
  await sees('┊ Name it')
  await sees('◆  Name')
  await press('abc', key.enter)
  expect(await named).toEqual(accepted({ name: 'abc' }))
})

test('[TERM-14] the closing line can come from the caller, which knows the outcome', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const seen: string[] = []
  const outcome = terminal.ask(approval, {
    lastWords: async (ended) => {
      seen.push(ended.kind)
      return 'Ben was faster.'
    },
  })
  await sees('Your decision')
  await press('y', key.enter)
  await outcome
  expect(seen).toEqual(['answered'])
  expect(drawn()).toContain('└  Ben was faster.')
  expect(drawn()).not.toContain('Your answer was sent')
})
