import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTool, scriptedPerson } from '@assent/sdk/testing'
import { newServer } from './greet.ts'

test('greets the person who answers', async () => {
  const person = scriptedPerson().accepts('Ada')
  const { text } = await callTool(newServer().greet, undefined, { person, everyRevision: true })
  assert.equal(text, 'Hello, Ada!')
})

test('reports a decline', async () => {
  const person = scriptedPerson().declines()
  const { refused } = await callTool(newServer().greet, undefined, { person, everyRevision: true })
  assert.equal(refused, 'declined')
})
