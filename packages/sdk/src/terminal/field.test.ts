// Prompts for one field of a form: text, numbers, lists and choices.

import { boolean, choice, choices, form, list, number, optional, text } from '@assent/core'
import { expect, test } from 'vitest'
import { fakeTerminal, key } from './fake-terminal.suite.ts'
import { accepted, asks } from './questions.suite.ts'

test('[TERM-1] text is validated by the rules of its form and asked again in place', async () => {
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

test.each(['0x10', '1e3', '1,5', 'NaN', 'Infinity', '١٢'])('[TERM-1] %s is not accepted as a number', async (typed) => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('How many?', form({ n: number() })))

  await sees('How many?')
  await press(typed, key.enter)
  await sees('Enter a number.')
  await press(key.ctrlC)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'cancel' } })
})

test('[TERM-2] Enter alone does not answer a yes-or-no question, even with a suggested yes', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('Delete five artifacts?', form({ sure: boolean({ default: true }) })))

  await sees('suggested')
  await press(key.enter)
  await sees('Choose one first, then press enter.')
  await press('n', key.enter)

  expect(await outcome).toEqual(accepted({ sure: false }))
})

test('[TERM-2] no option of a list is chosen until a key chooses it', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('Which region?', form({ region: choice({ eu: 'Europe', us: 'United States' }) })))

  await sees('○ Europe')
  await press(key.enter)
  await sees('Choose one first')
  await press(key.down, key.down, key.enter)

  expect(await outcome).toEqual(accepted({ region: 'us' }))
})

test('[TERM-16] one key answers a yes/no question and a single choice', async () => {
  const question = fakeTerminal()
  const answering = question.terminal.ask(asks('Delete build/?', form({ sure: boolean() })))
  await question.sees('y or n answers')
  await question.press('n')
  expect(await answering).toEqual(accepted({ sure: false }))

  const list = fakeTerminal()
  const choosing = list.terminal.ask(asks('Which region?', form({ region: choice(['eu', 'us', 'asia']) })))
  await list.sees('1 to 3 answers')
  await list.press('4', 'x')
  await list.press('2')
  expect(await choosing).toEqual(accepted({ region: 'us' }))
})

test('[TERM-2] [CARD-9] Enter alone does not submit a suggestion, neither of one option nor of several', async () => {
  const one = fakeTerminal()
  const choosing = one.terminal.ask(
    asks('Which database?', form({ db: choice({ keep: 'Keep', drop: 'Drop' }, { default: 'drop' }) })),
  )
  await one.sees('○ Drop  2  suggested')
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
  const outcome = terminal.ask(asks('Continue?', form({ go: choice({ yes: 'No, keep everything', eu: 'Europe' }) })))
  await sees('No, keep everything (sends "yes")')
  await press(key.ctrlC)
  expect(await outcome).toMatchObject({ answer: { action: 'cancel' } })
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

test('[TERM-1] a long list with several choices keeps the ticks while the search changes', async () => {
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

test('[TERM-1] [FORM-19] [FORM-20] a list is typed on one line, and an entry that misses a pattern or an open bound is asked again', async () => {
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
  await press('y', key.enter)

  expect(await outcome).toEqual(accepted({ tags: ['red', 'blue'], price: 0.5 }))
})

test('[TERM-1] a search without a match does not answer', async () => {
  const { terminal, press, sees } = fakeTerminal()
  const outcome = terminal.ask(asks('Which?', form({ n: choice(Array.from({ length: 20 }, (_, i) => `option ${i}`)) })))

  await sees('20 of 20')
  await press('zzz', key.enter)
  await sees('Choose one first')
  await press(key.ctrlC)

  expect(await outcome).toEqual({ kind: 'answered', answer: { action: 'cancel' } })
})

test('[TERM-1] as many options can be ticked as the form allows', async () => {
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
