import type { JsonObject } from '@assent/core'
import { expect, test } from 'vitest'
import type { InputRequest } from '../model.ts'
import { canShow, chooseSurface, isInboxFirst, surfacesFor } from './surfaces.ts'

const object = { type: 'object' } as const
const asked = (schema: JsonObject): InputRequest => ({ kind: 'form', message: 'Go?', schema, params: {} })
const wanted: Readonly<Record<string, InputRequest>> = {
  form: asked({ ...object, properties: { why: { type: 'string' } } }),
  number: asked({ ...object, properties: { count: { type: 'integer' } } }),
  unreadable: asked({ ...object, properties: { a: { type: 'object' } } }),
  link: { kind: 'url', message: 'Open it.', url: 'https://example.com', params: {} },
  sampling: { kind: 'sampling', params: {} },
  roots: { kind: 'roots', params: {} },
}

const both = { elicitation: { form: {}, url: {} } }
const clients = {
  unknown: { info: { name: 'some client' }, declared: both },
  'form only': { info: { name: 'some client' }, declared: { elicitation: {} } },
  'nothing declared': { info: { name: 'some client' }, declared: {} },
  // Declares both and shows neither.
  Claude: { info: { name: 'claude-ai' }, declared: both },
  // The older one shows no links, whatever it declares.
  'Claude Code 2.1.241': { info: { name: 'claude-code', version: '2.1.241' }, declared: both },
  'Claude Code 2.1.326': { info: { name: 'claude-code', version: '2.1.326' }, declared: both },
} as const

const clientFirst = ['client', 'inbox'] as const
const inboxFirst = ['inbox', 'client'] as const
const inboxOnly = ['inbox'] as const

type Row = readonly [
  client: keyof typeof clients,
  question: string,
  clientFirst: 'client' | 'inbox',
  inboxFirst: 'client' | 'inbox',
  canShow: boolean,
]
const table: readonly Row[] = [
  ['unknown', 'form', 'client', 'inbox', true],
  ['unknown', 'number', 'client', 'inbox', true],
  ['unknown', 'link', 'client', 'inbox', true],
  ['unknown', 'unreadable', 'inbox', 'inbox', false],
  ['unknown', 'sampling', 'client', 'client', true],
  ['unknown', 'roots', 'client', 'client', true],
  ['form only', 'form', 'client', 'inbox', true],
  ['form only', 'link', 'inbox', 'inbox', false],
  ['nothing declared', 'form', 'inbox', 'inbox', false],
  ['nothing declared', 'link', 'inbox', 'inbox', false],
  ['nothing declared', 'sampling', 'client', 'client', true],
  ['Claude', 'form', 'inbox', 'inbox', false],
  ['Claude', 'link', 'inbox', 'inbox', false],
  ['Claude', 'roots', 'client', 'client', true],
  ['Claude Code 2.1.241', 'form', 'client', 'inbox', true],
  ['Claude Code 2.1.241', 'link', 'inbox', 'inbox', false],
  ['Claude Code 2.1.326', 'link', 'client', 'inbox', true],
]

test.each(table)(
  '[ROUTE-1] [ROUTE-11] %s, %s: %s first, or %s with the inbox first',
  (name, key, first, reversed, shows) => {
    const client = clients[name]
    const question = wanted[key] as InputRequest

    expect(chooseSurface(clientFirst, client, question)).toBe(first)
    expect(chooseSurface(inboxFirst, client, question)).toBe(reversed)
    expect(canShow(clientFirst, client, question)).toBe(shows)
  },
)

test.each(['form', 'number', 'link', 'unreadable'])(
  '[ROUTE-1] with the inbox alone, no client is asked a question for a person: %s',
  (key) => {
    for (const client of Object.values(clients)) {
      expect(chooseSurface(inboxOnly, client, wanted[key] as InputRequest)).toBe('inbox')
    }
  },
)

test('[ROUTE-11] the inbox is first only where the client may be asked too', () => {
  expect(isInboxFirst(inboxFirst)).toBe(true)
  expect(isInboxFirst(clientFirst)).toBe(false)
  expect(isInboxFirst(inboxOnly)).toBe(false)
  expect(isInboxFirst(['client'])).toBe(false)
})

test('[ROUTE-1] a server may have fewer surfaces than the gateway', () => {
  const settings = { surfaces: clientFirst, surfacesOf: (server: string) => (server === 'few' ? inboxOnly : undefined) }
  expect(surfacesFor(settings, 'few')).toEqual(['inbox'])
  expect(surfacesFor(settings, 'other')).toEqual(['client', 'inbox'])
  expect(surfacesFor({ surfaces: inboxFirst }, 'few')).toEqual(['inbox', 'client'])
})
