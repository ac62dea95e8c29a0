// The program whose call asks.

import { expect, test } from 'vitest'
import { callerOf } from './caller.ts'

test('[INBOX-21] a known client has its usual name, another one the name that it declares, and none has no name', () => {
  expect(callerOf({ info: { name: 'claude-code', version: '2.1.0' } })).toEqual({ client: 'Claude Code' })
  expect(callerOf({ info: { name: 'my-agent', title: 'My agent' } })).toEqual({ client: 'My agent' })
  expect(callerOf({ info: { name: 'my-agent' } })).toEqual({ client: 'my-agent' })
  expect(callerOf({ info: {} })).toEqual({})
})

test('[INBOX-21] the folder and branch come from the process, and long or broken names are cut', () => {
  const workplace = () => ({ folder: 'notes', branch: `${'x'.repeat(99)}\u{1F600}` })

  expect(callerOf({ info: { name: ' \ud800 ' }, workplace })).toEqual({
    client: '\ufffd',
    folder: 'notes',
    branch: `${'x'.repeat(99)}\ufffd`,
  })
})
