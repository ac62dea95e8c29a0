// The kinds of ask that generated handlers use, each with an answer that fits and one that does not, and some with an answer
// that fits the form and that only the author's schema or check refuses.

import { type Ask, field } from '@assent/sdk'
import { z } from 'zod'

interface Kind {
  readonly ask: (ask: Ask, message: string) => Promise<unknown>
  readonly fits: object | undefined
  readonly doesNot: object
  readonly refused?: object
}

const person = z.object({ mail: z.email(), age: z.int().min(0).multipleOf(2) })

export const kinds = {
  text: { ask: (ask, q) => ask.text(q, { maxLength: 5 }), fits: { text: 'abc' }, doesNot: { text: 'abcdef' } },
  number: { ask: (ask, q) => ask.number(q, { min: 1, max: 9 }), fits: { number: 4 }, doesNot: { number: 10 } },
  confirm: { ask: (ask, q) => ask.confirm(q), fits: { confirmed: true }, doesNot: { confirmed: 'yes' } },
  choose: { ask: (ask, q) => ask.choose(q, { a: 'A', b: 'B' }), fits: { choice: 'b' }, doesNot: { choice: 'c' } },
  many: {
    ask: (ask, q) => ask.chooseMany(q, ['a', 'b', 'c'], { min: 1 }),
    fits: { choices: ['a', 'c'] },
    doesNot: { choices: [] },
  },
  date: { ask: (ask, q) => ask.date(q), fits: { date: '2026-07-28' }, doesNot: { date: '2026-02-30' } },
  form: {
    ask: (ask, q) => ask.form(q, { n: field.number(), t: field.optional(field.text()) }),
    fits: { n: 1 },
    doesNot: { t: 'x' },
  },
  schema: {
    ask: (ask, q) => ask.form(q, person),
    fits: { mail: 'a@example.com', age: 4 },
    doesNot: { mail: 'a@example.com', age: -1 },
    refused: { mail: 'a@example.com', age: 3 },
  },
  validated: {
    ask: (ask, q) => ask.text(q, { validate: (text) => (text.startsWith('a') ? undefined : `"${text}" is not known`) }),
    fits: { text: 'abc' },
    doesNot: { text: 1 },
    refused: { text: 'xyz' },
  },
  url: { ask: (ask, q) => ask.url(q, 'https://example.com/'), fits: undefined, doesNot: { done: true } },
  approve: { ask: (ask, q) => ask.approve(q, { n: 1 }), fits: { decision: 'approve' }, doesNot: { decision: 'yes' } },
  defaulted: { ask: (ask, q) => ask.text(q, { fallback: 'none' }), fits: { text: 'abc' }, doesNot: { text: 1 } },
} satisfies Readonly<Record<string, Kind>>

/** Undefined for kinds without a schema or check. */
export function refusedBy(kind: keyof typeof kinds): object | undefined {
  const { refused }: Kind = kinds[kind]
  return refused
}
