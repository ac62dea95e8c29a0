import { expect, test } from 'vitest'
import { readServerMessage, readServerMessages } from './server-messages.ts'

const reply = { jsonrpc: '2.0', id: 7, result: { a: 1 } }

test('[START-10] a reply with our numeric id as a string is matched, alone and in a batch', () => {
  const asText = JSON.stringify({ ...reply, id: '7' })

  expect(readServerMessage(asText)).toEqual(reply)
  expect(readServerMessages(`[${asText}]`)).toEqual([reply])
})

test('[START-10] the id of a server’s request, and any other string id, stays unchanged', () => {
  const request = { jsonrpc: '2.0', id: '7', method: 'ping' }
  const other = { ...reply, id: 'assent-7' }

  expect(readServerMessage(JSON.stringify(request))).toEqual(request)
  expect(readServerMessage(JSON.stringify(other))).toEqual(other)
})

test('[START-10] a byte order mark before a message is ignored', () => {
  expect(readServerMessage(`\uFEFF${JSON.stringify(reply)}`)).toEqual(reply)
  expect(readServerMessages(`\uFEFF[${JSON.stringify(reply)}]`)).toEqual([reply])
})
