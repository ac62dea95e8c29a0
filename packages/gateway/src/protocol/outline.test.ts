import { expect, onTestFinished, test, vi } from 'vitest'
import { protocolLimits } from '../limits.ts'
import { readMessage } from './messages.ts'
import { outlineOf } from './outline.ts'

const { messageBytes, messageDepth, messageParts, messageSpelledChars } = protocolLimits

function withParams(params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"a","params":${params}}`
}

function nested(levels: number, inside = '1'): string {
  return `${'{"a":'.repeat(levels)}${inside}${'}'.repeat(levels)}`
}

test('[LIMIT-1] the depth limit is exact, with and without backslashes in the message', () => {
  for (const inside of ['1', '"\\n"', '{"\\u0061":1}']) {
    const own = inside.startsWith('{') ? 1 : 0
    expect(readMessage(withParams(nested(messageDepth - 1 - own, inside)))).toBeDefined()
    expect(readMessage(withParams(nested(messageDepth - own, inside)))).toBeUndefined()
  }
})

test('[LIMIT-1] brackets and commas inside strings are not counted', () => {
  const text = JSON.stringify('[{'.repeat(messageDepth) + ','.repeat(messageParts))

  expect(readMessage(withParams(`{"a":${text},"b":"\\"[["}`))).toBeDefined()
  expect(outlineOf('["a\\\\",["b"]]')).toEqual({ names: 0, hasEscapedNames: false })
})

test.each([
  ['items', (many: number) => `{"a":[${'0,'.repeat(many)}0]}`],
  ['objects', (many: number) => `{"a":[${'{},'.repeat(many / 2)}0]}`],
  ['names', (many: number) => `{${Array.from({ length: many / 2 }, (_, at) => `"n${at}":0`).join(',')}}`],
])('[LIMIT-1] a message with the maximum number of %s is read, and one with more is rejected', (_what, params) => {
  expect(readMessage(withParams(params(messageParts - 20)))).toBeDefined()
  expect(readMessage(withParams(params(messageParts + 20)))).toBeUndefined()
})

test('[LIMIT-1] a message with escaped member names has a lower size limit', () => {
  const text = (chars: number) => withParams(`{"\\u0061":"${'x'.repeat(chars)}"}`)

  expect(readMessage(text(messageSpelledChars - 100))).toBeDefined()
  expect(readMessage(text(messageSpelledChars))).toBeUndefined()
})

test.each([
  ['brackets', '['.repeat(messageBytes)],
  ['objects', `[${'{},'.repeat(messageBytes / 3)}{}]`],
  ['names', `{${'"a":{'.repeat(messageBytes / 5)}`],
  ['escapes', `"${'\\"'.repeat(messageBytes / 2)}`],
  ['spaces', ' '.repeat(messageBytes)],
  ['digits', `{"jsonrpc":"2.0","id":1,"method":"a","params":{"a":${'9'.repeat(2_000_000)}}}`],
])('[LIMIT-1] a message that consists only of %s is refused before it is parsed', (_what, text) => {
  const parse = vi.spyOn(JSON, 'parse')
  onTestFinished(() => parse.mockRestore())

  expect(readMessage(text)).toBeUndefined()
  expect(readMessage('{"jsonrpc":"2.0","id":1,"method":"a"}')).toBeDefined()

  expect(parse).toHaveBeenCalledOnce()
})
