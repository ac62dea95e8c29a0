// Addresses of resources in what a server sends, as its clients can use them.

import { expect, test } from 'vitest'
import { errorTo, notificationTo, resultTo } from './outgoing-uris.ts'

const toClient = (uri: string) => `ark+${uri}`
const link = { type: 'resource_link', uri: 'notes://plan' }
const sent = { type: 'resource_link', uri: 'ark+notes://plan' }
const embedded = { type: 'resource', resource: { uri: 'notes://plan', text: 'x' } }

test('[RELAY-9] the addresses in a prompt are renamed, with one block of content or several', () => {
  const messages = [
    { role: 'user', content: link },
    { role: 'user', content: [link, embedded, { type: 'text', text: 'notes://plan' }, 'text'] },
    { role: 'user', content: 'text' },
  ]
  expect(resultTo(toClient, 'prompts/get', { messages })).toEqual({
    messages: [
      { role: 'user', content: sent },
      {
        role: 'user',
        content: [
          sent,
          { type: 'resource', resource: { uri: 'ark+notes://plan', text: 'x' } },
          { type: 'text', text: 'notes://plan' },
          'text',
        ],
      },
      { role: 'user', content: 'text' },
    ],
  })
})

test('[RELAY-9] what has no address stays as it is', () => {
  expect(resultTo(toClient, 'resources/read', { contents: [{ text: 'x' }, null] })).toEqual({
    contents: [{ text: 'x' }, null],
  })
  expect(resultTo(toClient, 'tools/call', { content: 'text' })).toEqual({ content: 'text' })
  const error = { code: 1, message: 'x', data: { other: 1 } }
  expect(errorTo(toClient, 'resources/read', error)).toEqual(error)
  const note = { jsonrpc: '2.0', method: 'notifications/resources/updated' } as const
  expect(notificationTo(toClient, note)).toBe(note)
})
