import { expect, test } from 'vitest'
import { wireLimits } from '../limits.ts'
import { readMessage } from './messages.ts'
import { outlineOf } from './outline.ts'

const { messageBytes, messageDepth, messageParts, messageSpelledChars } = wireLimits

function withParams(params: string): string {
  return `{"jsonrpc":"2.0","id":1,"method":"a","params":${params}}`
}

function nested(levels: number, inside = '1'): string {
  return `${'{"a":'.repeat(levels)}${inside}${'}'.repeat(levels)}`
}

test('[LIMIT-1] a message is as deep as it may be, and no deeper, whether or not it holds a backslash', () => {
  for (const inside of ['1', '"\\n"', '{"\\u0061":1}']) {
    const own = inside.startsWith('{') ? 1 : 0
    expect(readMessage(withParams(nested(messageDepth - 1 - own, inside)))).toBeDefined()
    expect(readMessage(withParams(nested(messageDepth - own, inside)))).toBeUndefined()
  }
})

test('[LIMIT-1] brackets inside a text are no levels, and commas there no parts', () => {
  const text = JSON.stringify('[{'.repeat(messageDepth) + ','.repeat(messageParts))

  expect(readMessage(withParams(`{"a":${text},"b":"\\"[["}`))).toBeDefined()
  expect(outlineOf('["a\\\\",["b"]]')).toEqual({ names: 0, hasEscapedNames: false })
})

test.each([
  ['items', (many: number) => `{"a":[${'0,'.repeat(many)}0]}`],
  ['objects', (many: number) => `{"a":[${'{},'.repeat(many / 2)}0]}`],
  ['names', (many: number) => `{${Array.from({ length: many / 2 }, (_, at) => `"n${at}":0`).join(',')}}`],
])('[LIMIT-1] a message has as many %s as it may have, and no more', (_what, params) => {
  expect(readMessage(withParams(params(messageParts - 20)))).toBeDefined()
  expect(readMessage(withParams(params(messageParts + 20)))).toBeUndefined()
})

test('[LIMIT-1] a message whose names are spelled with escapes is smaller', () => {
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
])('[LIMIT-1] a whole message of %s is refused without being read', (_what, text) => {
  // The quickest of several, because the processor time of a busy machine holds the work of others too.
  let quickestMs = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < 10 && quickestMs >= 250; attempt++) {
    const before = process.cpuUsage()
    expect(readMessage(text)).toBeUndefined()
    const { user, system } = process.cpuUsage(before)
    quickestMs = Math.min(quickestMs, (user + system) / 1_000)
  }
  // Parsing the first of these takes half a second on the machine this was written on.
  expect(quickestMs).toBeLessThan(250)
})
