// The terminal as a surface, on streams that stand in for it; real-terminal.test.ts uses a real one.

import { PassThrough } from 'node:stream'
import {
  type Action,
  actionDigest,
  boolean,
  checkedBlock,
  choice,
  choices,
  type Form,
  form,
  list,
  number,
  optional,
  type Question,
  text,
  toolDefinitionDigest,
} from '@assent/core'
import { expect, test } from 'vitest'
import { fakeTerminal, key } from './fake-terminal.suite.ts'
import type { TerminalOutcome } from './terminal.ts'

const asks = (message: string, asked: Form): Question => ({ kind: 'form', message, form: asked })
const accepted = (content: object): TerminalOutcome =>
  ({ kind: 'answered', answer: { action: 'accept', content } }) as TerminalOutcome

const action: Action = {
  server: 'acme',
  tool: 'deploy',
  definitionDigest: toolDefinitionDigest({ name: 'deploy' }),
  arguments: { env: 'production', replicas: 4, version: '4', tags: ['a'] },
}
const approval: Question = {
  kind: 'approval',
  title: 'Deploy',
  action,
  digest: actionDigest(action),
  claim: 'It is safe.',
}

test('[TERM-1] text is judged by the rules of its form and asked again in place', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('Where to?', form({ to: text({ format: 'email' }) })))

  await sees('Where to?')
  await press('bee', key.enter)
  await sees('Enter an email address like name@example.com.')
  await press('@example.com', key.enter)

  expect(await outcome).toEqual(accepted({ to: 'bee@example.com' }))
})

test('[TERM-1] a date that does not exist is refused', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('When?', form({ when: text({ format: 'date' }) })))

  await sees('When?')
  await press('2026-02-30', key.enter)
  await sees('Enter a date like')
  await press(key.backspace, key.backspace, '27', key.enter)

  expect(await outcome).toEqual(accepted({ when: '2026-02-27' }))
})

test('[TERM-1] a number keeps its bounds, is typed or moved, and is drawn as a slider', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(
    asks('Tempo?', form({ bpm: number({ integer: true, min: 60, max: 180, default: 120 }) })),
  )

  await sees('60 to 180')
  await sees('suggested')
  await sees('60 ━━━━━━━━━━━━━━━━●─────────────── 180')
  await press('0', key.enter)
  await sees('Must be 180 or less.')
  await press(key.backspace, key.up, key.up, key.down, key.enter)

  expect(await outcome).toEqual(accepted({ bpm: 121 }))
})

test.each(['0x10', '1e3', '1,5', 'NaN', 'Infinity', '١٢'])('[TERM-1] %s is not taken for a number', async (typed) => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('How many?', form({ n: number() })))

  await sees('How many?')
  await press(typed, key.enter)
  await sees('Enter a number.')
  await press(key.ctrlC)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'cancel' } })
})

test('[TERM-2] Enter alone answers no yes-or-no question, even where a yes was suggested', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('Delete five artifacts?', form({ sure: boolean({ default: true }) })))

  await sees('suggested')
  await press(key.enter)
  await sees('Choose one first, then press enter.')
  await press('n', key.enter)

  expect(await outcome).toEqual(accepted({ sure: false }))
})

test('[TERM-2] nothing of a list is chosen until a key chooses it', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('Which region?', form({ region: choice({ eu: 'Europe', us: 'United States' }) })))

  await sees('○ Europe')
  await press(key.enter)
  await sees('Choose one first')
  await press(key.down, key.down, key.enter)

  expect(await outcome).toEqual(accepted({ region: 'us' }))
})

test('[TERM-2] [CARD-9] Enter alone submits no suggestion, neither of one option nor of several', async () => {
  const one = fakeTerminal()
  const choosing = one.terminal.ask(
    asks('Which database?', form({ db: choice({ keep: 'Keep', drop: 'Drop' }, { default: 'drop' }) })),
  )
  await one.sees('○ Drop  suggested')
  await one.press(key.enter)
  await one.sees('Choose one first')
  await one.press(key.down, key.enter)
  expect(await choosing).toEqual(accepted({ db: 'keep' }))

  const several = fakeTerminal()
  const ticking = several.terminal.ask(
    asks('Which tables?', form({ tables: choices(['a', 'b'], { default: ['a', 'b'], minItems: 1 }) })),
  )
  await several.sees('◻ a  suggested')
  await several.press(key.enter)
  await several.sees('Choose at least 1')
  await several.press(' ', key.enter)
  expect(await ticking).toEqual(accepted({ tables: ['a'] }))
})

test('[CARD-8] an option whose label and value contradict each other shows both', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('Go on?', form({ go: choice({ yes: 'No, keep everything', eu: 'Europe' }) })))
  await sees('No, keep everything (sends "yes")')
  await press(key.ctrlC)
  expect(await outcome).toMatchObject({ answer: { action: 'cancel' } })
})

test('[CARD-5] [CARD-6] what others ask shows the call, and a form without fields has a title of ours', async () => {
  const call = { tool: 'wipe_disk', arguments: { path: '/', recursive: true } }
  const others = { isOfOthers: true, asker: { server: 'deploy' } } as const
  const message = 'Let read_file go on'

  const empty = fakeTerminal()
  const confirming = empty.terminal.ask({ kind: 'form', message, form: { fields: [] }, call }, others)
  await empty.sees('deploy asks you to confirm: wipe_disk')
  await empty.sees('recursive  true')
  await empty.sees('the asker says')
  await empty.press(key.enter)
  await empty.sees('Choose one first')
  await empty.press('a', key.enter)
  expect(await confirming).toEqual(accepted({}))

  const plain = fakeTerminal()
  const asking = plain.terminal.ask({ ...asks(message, form({ name: text() })), call } as Question, others)
  await plain.sees('the call wipe_disk on deploy')
  await plain.sees('recursive  true')
  await plain.press(key.ctrlC)
  await asking

  const link = fakeTerminal()
  const opening = link.terminal.ask(
    { kind: 'url', message, url: 'https://example.com/', call: { tool: 'wipe_disk' } },
    others,
  )
  await link.sees('the call wipe_disk on deploy')
  await link.sees('its arguments are too large to show here')
  await link.press(key.ctrlC)
  await opening
})

test('[TERM-1] a long list is searched by typing', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const keys = ['C', 'G', 'D', 'A', 'E', 'B', 'F sharp', 'D flat', 'A flat', 'E flat', 'B flat', 'F']
  const outcome = terminal.ask(asks('Which key?', form({ key: choice(keys) })))

  await sees('12 of 12')
  await press('sharp')
  await sees('1 of 12')
  await press(key.enter)

  expect(await outcome).toEqual(accepted({ key: 'F sharp' }))
})

test('[TERM-1] a long list of which several can be ticked keeps what was ticked while the search changes', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const all = Array.from({ length: 30 }, (_, index) => `track ${index}`)
  const outcome = terminal.ask(asks('Which tracks?', form({ tracks: choices(all, { maxItems: 2 }) })))

  await sees('30 of 30')
  await press('21', key.tab)
  await sees('◼ track 21')
  await press(key.backspace, key.backspace, '7', key.down, ' ', key.up, key.tab, key.enter)
  await sees('Choose at most 2.')
  await press(key.down, key.up, key.tab, key.enter)

  expect(await outcome).toEqual(accepted({ tracks: ['track 17', 'track 21'] }))
})

test('[TERM-1] [FORM-19] [FORM-20] a list is typed on one line, and what misses a pattern or an open bound is asked again', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const asked = form({
    tags: list({ minItems: 2, item: { pattern: '^[a-z]+$' } }),
    price: number({ above: 0 }),
    note: optional(text({ pattern: '^[A-Z]' })),
  })
  const outcome = terminal.ask(asks('What is it?', asked))

  await sees('separate entries with commas · enter 2 or more · must match ^[a-z]+$')
  await press('red, 7')
  await press(key.enter)
  await sees('Entry 2: Must match the pattern')
  await press(key.backspace)
  await press('blue')
  await press(key.enter)
  await sees('more than 0')
  await press('0')
  await press(key.enter)
  await sees('Must be more than 0.')
  await press('.5')
  await press(key.enter)
  await sees('must match ^[A-Z]')
  await press(key.enter)
  await sees('Give these answers?')
  await press('a', key.enter)

  expect(await outcome).toEqual(accepted({ tags: ['red', 'blue'], price: 0.5 }))
})

test('[TERM-1] a search that finds nothing answers nothing', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('Which?', form({ n: choice(Array.from({ length: 20 }, (_, i) => `option ${i}`)) })))

  await sees('20 of 20')
  await press('zzz', key.enter)
  await sees('Choose one first')
  await press(key.ctrlC)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'cancel' } })
})

test('[TERM-1] of several, as many as the form allows can be ticked', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const formats = choices({ wav: 'WAV', mp3: 'MP3', flac: 'FLAC' }, { minItems: 1, maxItems: 2 })
  const outcome = terminal.ask(asks('Which formats?', form({ formats })))

  await sees('choose 1 to 2')
  await press(key.enter)
  await sees('Choose at least 1.')
  await press(' ', key.down, ' ', key.down, ' ', key.enter)
  await sees('Choose at most 2.')
  await press(key.up, ' ', key.enter)

  expect(await outcome).toEqual(accepted({ formats: ['wav', 'flac'] }))
})

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
  await press('a', key.enter)

  expect(await outcome).toEqual(accepted({ name: 'x' }))
})

test('[TERM-3] a form of several fields is looked at as a whole, and each answer can be changed', async () => {
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
  await press('a', key.enter)

  expect(await outcome).toEqual(accepted({ name: 'second', size: 'small' }))
})

test('[TERM-4] an approval is drawn from the action, and what the asker says is set apart', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const outcome = terminal.ask(approval, { asker: { server: 'acme', tool: 'deploy' } })

  await sees('acme · deploy wants to act')
  await sees('env       production')
  await sees('replicas  4')
  await sees('version   "4"')
  await sees('-  a')
  await sees('calls deploy on acme')
  await sees('┊ It is safe.')
  await sees('Dismiss')
  await press('a', key.enter)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'accept' } })
  expect(drawn()).not.toMatch(/\b(submit|ok|confirm)\b/i)
})

test('[TERM-4] an action that is not the one its digest names is never shown', async () => {
  const { terminal } = fakeTerminal()
  const swapped: Question = { ...approval, action: { ...action, arguments: { env: 'staging' } } }
  const unnamed = { ...approval, action: { ...action, arguments: { n: Number.NaN } } } as Question

  expect(await terminal.ask(swapped)).toMatchObject({ kind: 'undeliverable' })
  expect(await terminal.ask(unnamed)).toMatchObject({ kind: 'undeliverable' })
})

test('[TERM-4] what is too long to show says so, and can be shown in full', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const long: Action = { ...action, arguments: { script: `${'x'.repeat(700)} END-OF-SCRIPT` } }
  const outcome = terminal.ask({ ...approval, action: long, digest: actionDigest(long) } as Question)

  await sees('more characters⟩')
  await sees('Show all of it')
  await press('s', key.enter)
  await sees('END-OF-SCRIPT')
  await sees('Your decision')
  await press('d', key.enter)
  await sees('Why?')
  await press('too long', key.enter)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'decline', comment: 'too long' } })
})

test('[TERM-5] keys that were typed before a decision was drawn do not decide it', async () => {
  const { terminal, press, sees } = fakeTerminal({ settleMs: 2_000 })
  const outcome = terminal.ask(approval)

  await sees('Dismiss')
  await press('a', key.enter)
  await new Promise((resolve) => setTimeout(resolve, 2_200))
  await press(key.enter)
  await sees('Choose one first')
  await press('d', key.enter)
  await sees('Why?')
  await press(key.enter)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'decline' } })
})

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
] as const)('[TERM-6] %s at any prompt is a no, and the terminal is given back', async (_, pressed, answer) => {
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

test('[TERM-7] a deadline is shown, and takes the prompt down', async () => {
  const { terminal, sees, keys } = fakeTerminal()
  const outcome = terminal.ask(approval, { decideByMs: Date.now() + 3_000 })

  await sees('expires at')
  await sees('Dismiss')
  expect(await outcome).toEqual({ kind: 'expired' })
  await sees('The time ran out.')
  expect(keys.isRaw).toBe(false)
})

test('[TERM-7] a question whose time is over is not put at all', async () => {
  const { terminal, drawn } = fakeTerminal()
  expect(await terminal.ask(approval, { decideByMs: Date.now() - 1 })).toEqual({ kind: 'expired' })
  expect(drawn()).toBe('')
})

test('[TERM-7] a question that is taken back disappears', async () => {
  const { terminal, sees } = fakeTerminal()
  const controller = new AbortController()
  const outcome = terminal.ask(approval, { signal: controller.signal })

  await sees('Dismiss')
  controller.abort()

  expect(await outcome).toEqual({ kind: 'withdrawn' })
  await sees('No longer needed')
})

test('[TERM-8] without a terminal nobody is asked', async () => {
  for (const options of [{ input: new PassThrough() }, { output: new PassThrough() }]) {
    const { terminal, drawn } = fakeTerminal(options)
    expect(terminal.usable).toBe(false)
    expect(await terminal.ask(approval)).toMatchObject({ kind: 'undeliverable' })
    expect(await terminal.askSecret('Key?')).toMatchObject({ kind: 'undeliverable' })
    expect(drawn()).toBe('')
  }
})

test('[TERM-8] a terminal that goes away is no answer', async () => {
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

test('[TERM-10] a link shows whom it leads to and what is odd about it, and is opened only when the person says so', async () => {
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

  expect(await asked('a', key.enter)).toEqual({ kind: 'answered', answer: { action: 'accept' } })
  expect(await asked('d', key.enter)).toEqual({ kind: 'answered', answer: { action: 'decline' } })
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

test('[TERM-10] a browser that does not open is said to the person, who opens the link', async () => {
  const { terminal, press, sees } = fakeTerminal({ openLink: () => Promise.reject(new Error('no browser here')) })
  const outcome = terminal.ask({ kind: 'url', message: 'Sign in', url: 'https://example.com/' })

  await sees('Dismiss')
  await press('o', key.enter)
  await sees('The browser did not open (no browser here).')

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'accept' } })
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

test('[TERM-11] what is pasted is drawn by the same rules, and kept as it is', async () => {
  const { terminal, press, sees, drawnRaw } = fakeTerminal()
  const outcome = terminal.ask(asks('Name?', form({ n: text() })))

  await sees('Name?')
  await press('a\u202Eb')
  await sees('a⟨U+202E⟩b')
  await press(key.enter)

  expect(await outcome).toEqual(accepted({ n: 'a\u202Eb' }))
  expect(drawnRaw()).not.toContain('\u202E')
})

test('[TERM-3] a suggestion of several lines is taken whole or not at all', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const suggestion = 'first line\nsecond line'
  const outcome = terminal.ask(asks('Notes?', form({ notes: text({ default: suggestion }) })))

  await sees('suggested: first line⟨U+000A⟩second line')
  await press(key.enter)

  expect(await outcome).toEqual(accepted({ notes: suggestion }))
})

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

test('[TERM-15] a person who dismisses the confirmation sends nothing, and a no stands without its comment', async () => {
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
  await press('d', key.enter)
  await sees('Why?')
  await press(serviceKey, key.enter)
  await sees('The comment looks like the key of a service. Send it?')
  await press('n', key.enter)
  expect(await declined).toEqual({ kind: 'answered', answer: { action: 'decline' } })
})

test('[TERM-15] somebody else’s question is checked where it is settled, not here', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('What?', form({ note: text({ title: 'Note' }) })), { isOfOthers: true })

  await sees('Note')
  await press(serviceKey, key.enter)

  expect(await outcome).toEqual(accepted({ note: serviceKey }))
})

test('[TERM-12] a secret is drawn as marks, and comes back apart from answers', async () => {
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

test('[TERM-12] a secret that is not given is a no', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.askSecret('Key?')
  await sees('Key?')
  await press(key.ctrlD)
  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'decline' } })
})

test('[TERM-14] where it may be left, Escape leaves a question open and Ctrl-X dismisses it', async () => {
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

test('[TERM-14] only the answers that are possible are offered, and none other can be given', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const outcome = terminal.ask(approval, { answers: ['accept', 'decline'], mayLeave: true })

  await sees('Your decision')
  await press('x', key.enter)
  await sees('Choose one first')
  expect(drawn()).not.toContain('Dismiss')
  await press('\u0018')
  await press('d', key.enter)
  await sees('Why?')
  await press(key.enter)
  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'decline' } })
})

test('[TERM-14] [TERM-11] somebody else’s question has its words set apart, and a bad link can be declined, not approved', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const bad: Question = { kind: 'url', message: 'Trust me\n▲ note: safe', url: 'https://user@bank.example/' }
  const others = { isOfOthers: true, standing: ['asked by a\u001b[2Jb'] } as const
  const link = terminal.ask(bad, others)
  await sees('danger: The link carries a user name')
  await sees('┊ ▲ note: safe')
  await sees('asked by a⟨U+001B⟩[2Jb')
  expect(drawn()).not.toContain('Approve')
  await press('d', key.enter)
  expect(await link).toEqual({ kind: 'answered', answer: { action: 'decline' } })

  const named = terminal.ask(asks('Name it', form({ name: text({ title: 'Name' }) })), others)
  await sees('the asker says')
  await sees('┊ Name it')
  await sees('◆  Name')
  await press('abc', key.enter)
  expect(await named).toEqual(accepted({ name: 'abc' }))
})

test('[POINT-16] what Assent checked has its own block before the words of the asker', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const checked = '- Nothing is committed: a\u001b[2Jb.'
  const message = `Go on?\n\n${checkedBlock(checked)}\n\n- All is committed.`
  const question: Question = { kind: 'form', message, form: form({ name: text({ title: 'Name' }) }), checked }
  const outcome = terminal.ask(question, { isOfOthers: true })

  await sees('Checked by Assent')
  await sees('- Nothing is committed: a⟨U+001B⟩[2Jb.')
  await sees('┊ - All is committed.')
  expect(drawn()).not.toContain('┊ - Nothing is committed')
  expect(drawn().indexOf('Checked by Assent')).toBeLessThan(drawn().indexOf('the asker says'))
  await press('x', key.enter)
  await outcome
})

test('[TERM-14] the last words are those of whoever knows what became of the answer', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const seen: string[] = []
  const outcome = terminal.ask(approval, {
    lastWords: async (ended) => {
      seen.push(ended.kind)
      return 'Ben was faster.'
    },
  })
  await sees('Your decision')
  await press('a', key.enter)
  await outcome
  expect(seen).toEqual(['answered'])
  expect(drawn()).toContain('└  Ben was faster.')
  expect(drawn()).not.toContain('The asker has your answer')
})

test('[TERM-4] an approval that came as a form is drawn as one: the call that waits, the words apart, none chosen', async () => {
  const { terminal, press, sees, drawn } = fakeTerminal()
  const question: Question = {
    kind: 'form',
    message: 'Nothing will be deleted.',
    form: form({ decision: choice({ approve: 'Approve', decline: 'Decline' }, { title: 'Decision' }) }),
    call: { tool: 'delete', arguments: { path: '/srv', note: 'x\u001b[2J', deep: { list: ['y'.repeat(900)] } } },
  }
  const outcome = terminal.ask(question, { isOfOthers: true, asker: { server: 'files' } })

  await sees('files needs your approval')
  await sees('Let delete go on')
  await sees('/srv')
  await sees('x⟨U+001B⟩[2J')
  await sees('┊ Nothing will be deleted.')
  await press(key.enter)
  await sees('Choose one first')
  await press('s', key.enter)
  await sees('y'.repeat(60))
  await sees('Your decision')
  expect(drawn()).not.toContain('(1 of')
  await press('a', key.enter)
  expect(await outcome).toEqual(accepted({ decision: 'approve' }))
})
