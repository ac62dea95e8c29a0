import { expect, test } from 'vitest'
import { isNotification, isReply, isRequest, objectAt, readMessage, stringAt } from './messages.ts'

test.each([
  ['a request', { jsonrpc: '2.0', id: 1, method: 'ping' }, isRequest],
  ['a request with a string id', { jsonrpc: '2.0', id: '', method: 'a', params: { b: null } }, isRequest],
  ['a notification', { jsonrpc: '2.0', method: 'notifications/x', params: {} }, isNotification],
  ['a result', { jsonrpc: '2.0', id: 0, result: {} }, isReply],
  ['an error', { jsonrpc: '2.0', id: null, error: { code: -1, message: '', data: [1] } }, isReply],
])('[RELAY-13] %s is recognized, and keeps its other members', (_what, message, is) => {
  const whole = { ...message, 'x-more': [1, { two: 'zwei' }] }

  const read = readMessage(JSON.stringify(whole))

  expect(read).toEqual(whole)
  expect([isRequest, isNotification, isReply].filter((one) => read !== undefined && one(read))).toEqual([is])
})

test.each([
  '',
  'null',
  '{"jsonrpc":"2.0"',
  '[]',
  '"ping"',
  '{"id":1,"method":"ping"}',
  '{"jsonrpc":"1.0","id":1,"method":"ping"}',
  '{"jsonrpc":"2.0","id":null,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
  '{"jsonrpc":"2.0","id":[1],"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":7}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}',
  '{"jsonrpc":"2.0","id":1,"method":"ping","params":null}',
  '{"jsonrpc":"2.0","result":{}}',
  '{"jsonrpc":"2.0","id":1,"result":[]}',
  '{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":"1","message":""}}',
  '{"jsonrpc":"2.0","id":1,"error":{"code":1}}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":"\\q"}}',
  '{"jsonrpc":"2.0","method":"elicitation/create","params":{}}',
  '{"jsonrpc":"2.0","method":"tools/call"}',
])('[RELAY-13] invalid messages are rejected: %s', (text) => {
  expect(readMessage(text)).toBeUndefined()
})

test('[RELAY-13] escaped member names are decoded, and duplicates are rejected', () => {
  const escaped = '{"jsonrpc":"2.0","id":1,"method":"a","params":{"\\u0061b":"\\ud800","__proto__":{"x":1}}}'

  const read = readMessage(escaped) as { params: Record<string, unknown> }

  expect(Object.entries(read.params)).toEqual([
    ['ab', '\ud800'],
    ['__proto__', { x: 1 }],
  ])
  expect(readMessage('{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":1,"\\u0061":2}}')).toBeUndefined()
})

test('[RELAY-13] nothing is read from a prototype', () => {
  expect([objectAt({}, 'constructor'), stringAt({}, 'toString'), objectAt(undefined, 'a')]).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect([objectAt({ a: [] }, 'a'), stringAt({ a: 1 }, 'a'), stringAt({ a: 'b' }, 'a')]).toEqual([
    undefined,
    undefined,
    'b',
  ])
})

test.each([
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","name":"drop"}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}',
  '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":[{"y":{"a":1,"b":2,"a":1}}]}}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":"\\n","a":1,"a":1}}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":{"__proto__":{},"__proto__":{}}}',
  '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","resultType":"input_required"}}',
])('[LIMIT-2] a duplicate member name makes a message invalid: %s', (text) => {
  expect(readMessage(text)).toBeUndefined()
})

test.each([
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","Method":"tools/call"}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","Name":"drop"}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","ARGUMENTS":{}}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list","argument\u017f":{}}}',
  '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ResultType":"input_required"}}',
])('[LIMIT-2] a name that some parsers would read as a protocol member makes a message invalid: %s', (text) => {
  expect(readMessage(text)).toBeUndefined()
})

test('[LIMIT-2] argument names are not restricted, and equal names in different objects are no duplicates', () => {
  const params = { name: 'a', arguments: { Name: 1, NAME: 2, Method: 3, constructor: 4 }, list: [{ a: 1 }, { a: 1 }] }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }

  expect(readMessage(JSON.stringify(message))).toEqual(message)
})

test.each(['9007199254740993', '1.5', '1e400', '-9007199254740992'])(
  '[LIMIT-2] an id that would not survive a round trip is invalid: %s',
  (id) => {
    expect(readMessage(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)).toBeUndefined()
  },
)

test.each([
  { ref: { name: 'a' }, Ref: { name: 'b' } },
  { ref: { name: 'a', Name: 'b' } },
  { ref: { uri: 'notes://a', URI: 'notes://b' } },
  { ref: { type: 'ref/prompt', Type: 'ref/resource', name: 'a' } },
  { notifications: {}, Notifications: {} },
  { notifications: { resourceSubscriptions: [], ResourceSubscriptions: ['notes://b'] } },
])('[POLICY-70] members that another parser could take for those that decide are rejected: %j', (params) => {
  expect(readMessage(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'completion/complete', params }))).toBeUndefined()
})

test('[POLICY-70] other members of a reference are passed on', () => {
  const params = { ref: { type: 'ref/prompt', name: 'a', title: 'b' }, argument: { name: 'c', value: '' } }
  expect(readMessage(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'completion/complete', params }))).toMatchObject({
    params,
  })
})
