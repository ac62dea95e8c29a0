import { expect, test } from 'vitest'
import { boolean, listSchema, oneOf, optionalSchema, type Schema, shape, textSchema, variants } from './json-schema.ts'

interface Example {
  readonly id: string
  readonly isOpen: boolean
  readonly kind: 'a' | 'b'
  readonly note?: string
  readonly tags: readonly string[]
}

test('[INBOX-11] a shape lists every property, and requires those that are not optional', () => {
  const schema = shape<Example>({
    id: textSchema,
    isOpen: boolean,
    kind: oneOf('a', 'b'),
    note: optionalSchema(textSchema),
    tags: listSchema(textSchema),
  })
  expect(schema).toEqual({
    type: 'object',
    properties: {
      id: { type: 'string' },
      isOpen: { type: 'boolean' },
      kind: { type: 'string', enum: ['a', 'b'] },
      note: { type: 'string' },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['id', 'isOpen', 'kind', 'tags'],
  })
})

test('[INBOX-11] variants describe the property that distinguishes them', () => {
  const schema = variants<{ readonly kind: 'a' } | { readonly kind: 'b' }>(oneOf('a', 'b'))
  expect(schema).toEqual({
    type: 'object',
    required: ['kind'],
    properties: { kind: { type: 'string', enum: ['a', 'b'] } },
  })
})

test('[INBOX-11] a description that differs from its type does not compile', () => {
  const id = { id: textSchema }
  // @ts-expect-error: `isOpen` is missing.
  shape<Pick<Example, 'id' | 'isOpen'>>(id)
  // @ts-expect-error: `more` does not exist.
  shape<Pick<Example, 'id'>>({ id: textSchema, more: textSchema })
  // @ts-expect-error: `id` is not optional.
  shape<Pick<Example, 'id'>>({ id: optionalSchema(textSchema) })
  // @ts-expect-error: `note` is optional.
  shape<Pick<Example, 'note'>>({ note: textSchema })
  // @ts-expect-error: `isOpen` is a boolean.
  shape<Pick<Example, 'isOpen'>>({ isOpen: textSchema })
  // @ts-expect-error: the value `b` is missing.
  shape<Pick<Example, 'kind'>>({ kind: oneOf('a') })
  // @ts-expect-error: the value `c` does not exist.
  const kinds: Schema<'a' | 'b'> = oneOf('a', 'b', 'c')
  expect(kinds).toEqual({ type: 'string', enum: ['a', 'b', 'c'] })
})
