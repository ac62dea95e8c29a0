import { expect, test } from 'vitest'
import type { Description } from '../ask/describe.ts'
import { field } from '../ask/field.ts'
import { interactive } from '../assent.ts'
import type { Surface } from '../surface.ts'
import { onSurface } from '../surface-context.ts'
import { callTool } from '../testing/call-tool.ts'
import { scriptedPerson } from '../testing/person.ts'
import type { PlainAsk } from './plain-ask.ts'
import { yielding } from './yielding.ts'

const link = 'https://example.com/'

function answering(seen: Description[]): Surface {
  const contents: Record<string, object> = {
    text: { text: 'abc' },
    secret: { secret: 's' },
    confirm: { confirmed: true },
    choose: { choice: 'a' },
    'choose-many': { choices: ['a'] },
    number: { number: 3 },
    date: { date: '2026-07-28' },
    form: { name: 'Ada' },
    file: { file: '/tmp/x' },
  }
  return {
    name: 'terminal',
    refuses: () => undefined,
    put: async (description) => {
      seen.push(description)
      const content = contents[description.kind]
      return { kind: 'answered', answer: { action: 'accept', ...(content === undefined ? {} : { content }) } }
    },
  }
}

test('[GEN-5] every kind of plain ask asks exactly what the `ask` method asks', async () => {
  const plainAsks: Description[] = []
  const asks: Description[] = []
  const options = [{ value: 'a', label: 'A' }, { value: 'b' }]
  const yielded: readonly PlainAsk[] = [
    { ask: 'text', message: 'q', minLength: 1, default: 'x' },
    { ask: 'password', message: 'q' },
    { ask: 'confirm', message: 'q', default: true },
    { ask: 'confirm', message: 'q', dangerous: true },
    { ask: 'select', message: 'q', options },
    { ask: 'select', message: 'q', options: ['a', 'b'], multi: true, default: ['b'] },
    { ask: 'number', message: 'q', min: 1, max: 9, step: 1, default: 2 },
    { ask: 'date', message: 'q' },
    { ask: 'form', message: 'q', schema: { name: field.text() } },
    {
      ask: 'form',
      message: 'q',
      schema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    },
    { ask: 'url', message: 'q', url: link },
    { ask: 'file', message: 'q' },
  ]
  const generator = interactive(
    yielding(function* () {
      const answers: unknown[] = []
      for (const ask of yielded) answers.push(yield ask)
      return JSON.stringify(answers)
    }),
  )
  const plain = interactive(async ({ ask }) =>
    JSON.stringify([
      await ask.text('q', { minLength: 1, suggest: 'x' }),
      await ask.secret('q'),
      await ask.confirm('q', { suggest: true }),
      await ask.confirm('q', { risk: 'destructive' }),
      await ask.choose('q', [
        { value: 'a', label: 'A' },
        { value: 'b', label: 'b' },
      ]),
      await ask.chooseMany('q', ['a', 'b'], { suggest: ['b'] }),
      await ask.number('q', { min: 1, max: 9, integer: true, suggest: 2 }),
      await ask.date('q'),
      await ask.form('q', { name: field.text() }),
      await ask.form('q', { name: field.text() }),
      await ask.url('q', link),
      await ask.file('q'),
    ]),
  )
  const one = await generator(onSurface(answering(plainAsks)))
  expect(one).toEqual(await plain(onSurface(answering(asks))))
  const questions = (all: Description[]) => all.map(({ kind, question, options }) => ({ kind, question, options }))
  expect(questions(plainAsks)).toEqual(questions(asks))
})

test('[GEN-5] a pattern is checked, and the question is asked again with the reason', async () => {
  const tool = interactive(
    yielding(function* () {
      return String(yield { ask: 'text', message: 'Tag?', pattern: 'v[0-9]+' })
    }),
  )
  const person = scriptedPerson()
    .accepts('x', { asked: /^Tag\?$/ })
    .accepts('v2', { asked: 'must match v[0-9]+' })
  expect((await callTool(tool, undefined, { person })).text).toBe('v2')
})

test.each([
  ['an unknown kind', { ask: 'colour', message: 'q' }, 'of the kind "colour"'],
  ['no message', { ask: 'text' }, 'An ask needs a question text.'],
  ['a select without options', { ask: 'select', message: 'q' }, 'needs a list of `options`'],
  ['a default that a form cannot show', { ask: 'number', message: 'q', default: 'x' }, ''],
])('[GEN-5] a plain ask with %s reaches no person', async (_, asked, reason) => {
  const seen: Description[] = []
  const tool = interactive(
    yielding(function* () {
      return String(yield asked as PlainAsk)
    }),
  )
  await expect(tool(onSurface(answering(seen)))).rejects.toThrow(reason)
  expect(seen).toEqual([])
})
