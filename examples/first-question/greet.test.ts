import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTool, scriptedPerson } from '@assent/sdk/testing'
import { greet } from './greet.ts'

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  test(`greets the person who answers (${revision})`, async () => {
    const person = scriptedPerson().accepts('Ada')
    const { text } = await callTool(greet, undefined, { person, revision })
    assert.equal(text, 'Hello, Ada!')
  })

  test(`reports a decline (${revision})`, async () => {
    const person = scriptedPerson().declines()
    const { refused } = await callTool(greet, undefined, { person, revision })
    assert.equal(refused, 'declined')
  })
}
