import type { JsonValue } from '@assent/core'
import { expect, test } from 'vitest'
import { relayLimits } from '../../limits.ts'
import { screenedArguments } from './screened-arguments.ts'

const leftOut = '(secret, not recorded)'
const token = `ghp_${'a1B2'.repeat(9)}`

test('[RECORD-6] arguments that look like a secret are left out, by their name and by their format', () => {
  const { text, hidden } = screenedArguments({
    env: 'production',
    password: 'hunter2',
    apiKey: 42,
    db: { url: 'postgres://ann:hunter2@db/x', 'a/b~c': { client_secret: ['one'] } },
    list: ['fine', `use ${token}`],
    count: 3,
    none: null,
    isPassword: true,
  })

  expect(JSON.parse(text ?? '')).toEqual({
    env: 'production',
    password: leftOut,
    apiKey: leftOut,
    db: { url: leftOut, 'a/b~c': { client_secret: leftOut } },
    list: ['fine', leftOut],
    count: 3,
    none: null,
    isPassword: true,
  })
  expect(hidden).toEqual(['/password', '/apiKey', '/db/url', '/db/a~1b~0c/client_secret', '/list/1'])
  expect(text).not.toContain('hunter2')
})

test('[RECORD-6] arguments that are too long or too deep are left out as a whole', () => {
  expect(screenedArguments({ text: 'x'.repeat(relayLimits.recordArgumentChars) })).toEqual({ hidden: [''] })
  let deep = {}
  for (let level = 0; level < 40; level++) deep = { deep }
  expect(screenedArguments(deep)).toEqual({ hidden: [''] })
  let list: JsonValue = []
  for (let level = 0; level < 40; level++) list = [list]
  expect(screenedArguments({ list })).toEqual({ hidden: [''] })
  expect(screenedArguments({})).toEqual({ text: '{}', hidden: [] })
})

test('[RECORD-6] a member called __proto__ is an ordinary member', () => {
  const args = JSON.parse('{"__proto__":{"token":"hunter2"}}')
  const { text } = screenedArguments(args)
  expect(text).not.toContain('hunter2')
})
