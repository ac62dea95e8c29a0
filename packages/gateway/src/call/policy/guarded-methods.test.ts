import { expect, test } from 'vitest'
import { callOf } from '../route/sample-rounds.suite.ts'
import { looksGuarded } from './guarded-methods.ts'
import { aGate, ran, refusedText } from './sample-gate.suite.ts'

test.each([
  'Tools/Call',
  'tools/call ',
  'TOOLS/CALL',
  'tool\u017f/call',
  'ｔools/call',
  'tools//call',
  'Resources/Read',
  'prompts_get',
])('[POLICY-70] the method %j is refused if there are policies', async (method) => {
  const { gated, server, reload } = await aGate([{ name: 'closed', effect: 'deny' }])

  expect(refusedText(await gated.start(callOf({ method })))).toContain('does not support')
  expect(server.calls).toEqual([])
  await reload()
  expect(await gated.start(callOf({ method }))).toEqual(ran)
})

test.each(['tools/call', 'tools/list', 'resources/templates/list', 'x/run', 'logging/setLevel'])(
  '[POLICY-70] the method %s looks like no other',
  (method) => {
    expect(looksGuarded(method)).toBe(false)
  },
)
