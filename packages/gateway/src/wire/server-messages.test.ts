import { expect, test } from 'vitest'
import { readServerMessage, readServerMessages } from './server-messages.ts'

const reply = { jsonrpc: '2.0', id: 7, result: { a: 1 } }

test('[START-10] a reply that repeats our number as text is the reply to it, alone and in a batch', () => {
  const asText = JSON.stringify({ ...reply, id: '7' })

  expect(readServerMessage(asText)).toEqual(reply)
  expect(readServerMessages(`[${asText}]`)).toEqual([reply])
})

test('[START-10] the id of a request of the server, and any other text, stays what it is', () => {
  const request = { jsonrpc: '2.0', id: '7', method: 'ping' }
  const other = { ...reply, id: 'assent-7' }

  expect(readServerMessage(JSON.stringify(request))).toEqual(request)
  expect(readServerMessage(JSON.stringify(other))).toEqual(other)
})

test('[START-10] a byte order mark before a message is passed over', () => {
  expect(readServerMessage(`\uFEFF${JSON.stringify(reply)}`)).toEqual(reply)
  expect(readServerMessages(`\uFEFF[${JSON.stringify(reply)}]`)).toEqual([reply])
})
