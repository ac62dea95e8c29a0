import { expect, test } from 'vitest'
import { decodeHeader, requestHeaders } from './headers-2026-07-28.ts'

const names = [
  'ask',
  'a b',
  ' leading',
  'trailing ',
  'größe',
  '\u{1f30d}',
  'tab\there',
  '',
  '=?base64?YQ==?=',
  '=?BASE64?x?=',
]

test.each(names)('[RELAY-13] an encoded name decodes to the same name: %j', (name) => {
  const written = requestHeaders('tools/call', { name })['mcp-name'] ?? ''

  expect(written).toMatch(/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/)
  expect(decodeHeader(written)).toBe(name)
})

test('[RELAY-13] the headers contain the method and its target, and nothing else', () => {
  const common = { 'mcp-protocol-version': '2026-07-28' }

  expect(requestHeaders('resources/read', { uri: 'file:///a' })).toEqual({
    ...common,
    'mcp-method': 'resources/read',
    'mcp-name': 'file:///a',
  })
  expect(requestHeaders('tools/list', { name: 'x' })).toEqual({ ...common, 'mcp-method': 'tools/list' })
  expect(requestHeaders('tools/call', { name: 7 })).toEqual({ ...common, 'mcp-method': 'tools/call' })
})

test.each(['=?base64?%%%?=', '=?base64?YQ?=', '=?base64?YR==?=', '=?BASE64?Y Q=?='])(
  '[RELAY-13] a header with invalid encoding is undefined: %s',
  (value) => {
    expect(decodeHeader(value)).toBeUndefined()
  },
)

test.each(['=?base64?YQ', 'YQ==?=', '=?base64?'])(
  '[RELAY-13] a header without both ends of the wrapper is literal: %s',
  (value) => {
    expect(decodeHeader(value)).toBe(value)
  },
)
