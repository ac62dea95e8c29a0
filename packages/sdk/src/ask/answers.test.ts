// What an ask returns: the checked answer, its action and content, or the fallback that its author allowed.

import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
import { callTool } from '../testing/call-tool.ts'
import { scriptedPerson } from '../testing/person.ts'
import * as asked from './describe.ts'
import { field } from './field.ts'

const { interactive } = createAssent({ unseenAfterMs: 0 })

function thrown(text: string): string {
  // biome-ignore lint/style/useThrowOnlyError: the author's code may throw anything
  throw `no text: ${text}`
}

describe.each(['2025-11-25', '2026-07-28'] as const)('on %s', (revision) => {
  function call(handler: (interaction: Interaction) => Promise<string>, person = scriptedPerson(), shows = {}) {
    return callTool(interactive(handler, { name: 'tool' }), undefined, { person, revision, shows })
  }

  test('[ANSWER-1] an answer that `validate` refuses is asked for again, with the reason', async () => {
    const validate = vi.fn(async (name: string) => (name === 'root' ? 'that name is taken.' : undefined))
    const person = scriptedPerson()
      .accepts('root', { asked: /^Name\?$/ })
      .accepts('ada', { asked: 'Name?\n\nYour last answer was not accepted: that name is taken.' })
    const { text } = await call(async ({ ask }) => ask.text('Name?', { validate }), person)
    expect(text).toBe('ada')
    expect(validate).toHaveBeenCalledWith('root')
  })

  test('[ANSWER-1] an answer that the author’s schema refuses is asked for again, with its message', async () => {
    const schema = z.object({ from: z.number(), to: z.number() }).refine(({ from, to }) => from < to, 'to is too small')
    const person = scriptedPerson()
      .accepts({ from: 2, to: 1 })
      .accepts({ from: 1, to: 2 }, { asked: 'not accepted: to is too small' })
    expect((await call(async ({ ask }) => JSON.stringify(await ask.form('Range?', schema)), person)).text).toBe(
      '{"from":1,"to":2}',
    )
  })

  test('[ANSWER-1] after three answers that are refused it is an error', async () => {
    const person = scriptedPerson().accepts('a').accepts('b').accepts('c')
    const { refused, text } = await call(async ({ ask }) => ask.text('Name?', { validate: () => false }), person)
    expect(refused).toBe('validation_failed')
    expect(text).toContain('it is not accepted.')
  })

  test('[ANSWER-1] a decline, a dismissal and an answer that does not fit are not asked again', async () => {
    const handler = async ({ ask }: Interaction) => ask.text('Name?', { validate: () => 'no', maxLength: 3 })
    expect((await call(handler, scriptedPerson().declines())).refused).toBe('declined')
    expect((await call(handler, scriptedPerson().accepts('a').dismisses())).refused).toBe('cancelled')
    expect((await call(handler, scriptedPerson().accepts('too long'))).refused).toBe('validation_failed')
  })

  test.each<[string, (interaction: Interaction) => Promise<unknown>, string]>([
    [
      '`validate`',
      ({ ask }) => ask.text('Name?', { validate: () => Promise.reject(new TypeError('broken')) }),
      'TypeError: broken',
    ],
    ['a schema', ({ ask }) => ask.form('Name?', z.object({ text: z.string().transform(thrown) })), 'no text: x'],
  ])(
    '[ANSWER-1] an error in %s itself is the author’s: it is logged, and nothing is asked again',
    async (_, ask, why) => {
      const log = vi.fn()
      const tool = createAssent({ log }).interactive(async (interaction) => String(await ask(interaction)), {
        name: 'tool',
      })
      const person = scriptedPerson().accepts({ text: 'x' })
      const message = `The schema or \`validate\` of "Name?" failed: ${why}`
      await expect(callTool(tool, undefined, { person, revision })).rejects.toMatchObject({
        code: 'misconfigured',
        message,
      })
      const entry = { level: 'error', handler: 'tool', code: 'misconfigured', message }
      expect(log).toHaveBeenCalledExactlyOnceWith(entry)
    },
  )

  test('[ANSWER-2] elicit gives the action and the content; a no is not an error', async () => {
    const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
    const handler = async ({ ask }: Interaction) => JSON.stringify(await ask.elicit('Who?', schema))
    expect((await call(handler, scriptedPerson().accepts({ name: 'Ada' }))).text).toBe(
      '{"action":"accept","content":{"name":"Ada"}}',
    )
    expect((await call(handler, scriptedPerson().declines())).text).toBe('{"action":"decline"}')
    expect((await call(handler, scriptedPerson().dismisses())).text).toBe('{"action":"cancel"}')
  })

  test('[ANSWER-2] elicit is an error if no person answered, or with content that does not fit', async () => {
    const handler = async ({ ask }: Interaction) =>
      JSON.stringify(await ask.elicit('Who?', { name: field.text() }, { waitMs: 1_000 }))
    expect((await call(handler, undefined, { form: false })).refused).toBe('not_supported')
    expect(
      (await call(handler, scriptedPerson().answersWith({ action: 'accept', content: { name: 7 } }))).refused,
    ).toBe('validation_failed')
  })

  test('[ANSWER-3] `fallback` answers if no person can be asked, and `suggest` does not', async () => {
    const none = { form: false, url: false }
    const handler = async ({ ask }: Interaction) => ask.text('Name?', { suggest: 'Ada', fallback: 'unknown' })
    expect((await call(handler, undefined, none)).text).toBe('unknown')
    expect((await call(async ({ ask }) => ask.text('Name?', { suggest: 'Ada' }), undefined, none)).refused).toBe(
      'not_supported',
    )
    const person = scriptedPerson().accepts('Bob')
    const { text, transcript } = await call(handler, person)
    expect(text).toBe('Bob')
    expect(transcript[0]?.question.fields).toMatchObject({ text: { default: 'Ada' } })
  })

  test('[ANSWER-3] a confirmation is yes without a person only if it is also harmless', async () => {
    const none = { form: false, url: false }
    const confirming = (options: object) => async (interaction: Interaction) =>
      String(await interaction.ask.confirm('Continue?', options as never))
    expect((await call(confirming({ fallback: true, risk: 'harmless' }), undefined, none)).text).toBe('true')
    expect((await call(confirming({ fallback: false }), undefined, none)).text).toBe('false')
    for (const options of [{ fallback: true }, { fallback: true, risk: 'notable' }])
      await expect(call(confirming(options), undefined, none)).rejects.toMatchObject({ code: 'misconfigured' })
  })
})

test('[ANSWER-3] `default` is refused with the two names that it could mean', () => {
  expect(() => asked.text('Name?', { default: 'x' } as never)).toThrow(/`suggest`.*`fallback`/)
})

test.each([
  ['an enum without a type', { enum: ['a', 'b'] }],
  ['a union of constants', { anyOf: [{ const: 'a' }, { type: 'string', const: 'b' }] }],
  ['a union of enums', { anyOf: [{ enum: ['a'] }, { enum: ['b'] }] }],
])('[ANSWER-4] %s is a choice', (_, property) => {
  const schema = { type: 'object', properties: { size: property }, required: ['size'] } as const
  const { question } = asked.fields('Which?', schema)
  expect(question).toMatchObject({ form: { fields: [{ kind: 'choice', options: [{ value: 'a' }, { value: 'b' }] }] } })
})

test('[ANSWER-4] unions of literals, one literal and nullable fields of a schema are asked, and keep their values', async () => {
  const schema = z.object({
    size: z.union([z.literal('s'), z.literal('m')]),
    kind: z.literal('shirt'),
    note: z.string().nullable(),
    fit: z.enum(['slim', 'wide']).nullable(),
  })
  const { question, toValue } = asked.fields('Which?', schema)
  expect(question).toMatchObject({
    form: {
      fields: [
        { name: 'size', kind: 'choice', required: true },
        { name: 'kind', kind: 'choice', required: true },
        { name: 'note', kind: 'text', required: false },
        { name: 'fit', kind: 'choice', required: false },
      ],
    },
  })
  expect(await toValue({ size: 's', kind: 'shirt' })).toEqual({ size: 's', kind: 'shirt', note: null, fit: null })
})

test('[ANSWER-4] a nullable field of a plain JSON Schema that was left empty is null', async () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      note: { type: ['string', 'null'] },
      size: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    },
    required: ['name', 'note', 'size'],
  } as const
  const { toValue } = asked.fields('Which?', schema)
  expect(await toValue({ name: 'Ada' })).toEqual({ name: 'Ada', note: null, size: null })
  expect(await toValue({ name: 'Ada', note: 'x', size: 1 })).toEqual({ name: 'Ada', note: 'x', size: 1 })
})

test.each([
  ['a union of numbers', { anyOf: [{ const: 1 }, { const: 2 }] }],
  ['a union of types', { anyOf: [{ type: 'string' }, { type: 'number' }] }],
  ['an object', { type: 'object', properties: {} }],
])('[ANSWER-4] %s is still refused', (_, property) => {
  const schema = { type: 'object', properties: { size: property } } as const
  expect(() => asked.fields('Which?', schema)).toThrow('cannot be asked as a form')
})

test('[SDK-10] a `validate` that decides differently in a later round ends the call, and no work runs', async () => {
  const work = vi.fn()
  const taken = new Set<string>()
  const assent = createAssent({ name: 'names', repeatWithinMs: 50, log: false })
  const tool = assent.interactive(
    async ({ ask, step }) => {
      const validate = (text: string) => (taken.has(text) ? 'It is taken.' : undefined)
      const name = await ask.text('Name?', { validate })
      taken.add(name)
      await ask.text('Why?')
      await step('register', work)
      return name
    },
    { name: 'register' },
  )
  const person = scriptedPerson().accepts('ada').accepts('because')
  const { refused, text } = await callTool(tool, undefined, { person, revision: '2026-07-28' })
  expect(refused).toBe('out_of_order')
  expect(text).toContain('This handler asked "Why?" before')
  expect(work).not.toHaveBeenCalled()
})
