import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAssent } from '@assent/sdk'
import { callTool, scriptedPerson } from '@assent/sdk/testing'
import { McpServer } from '@modelcontextprotocol/server'
import { registerTransfer } from './transfer.ts'

function aTransfer() {
  const sent: string[] = []
  const server = new McpServer({ name: 'bank', version: '1.0.0' })
  const send = (id: string) => {
    sent.push(id)
    return 'ok'
  }
  return { sent, tool: registerTransfer(createAssent({ name: 'bank' }), server, send) }
}

test('pays once after an approval, however often the handler runs', async () => {
  const { tool, sent } = aTransfer()
  const person = scriptedPerson().accepts('Rent').approves()
  const { text } = await callTool(tool, { cents: 90_000 }, { person, replayAlways: true })
  assert.equal(text, 'Paid: ok.')
  assert.equal(sent.length, 1)
})

test('pays nothing after a decline, on every revision', async () => {
  const { tool, sent } = aTransfer()
  const person = scriptedPerson().accepts('Rent').declines()
  const { text } = await callTool(tool, { cents: 90_000 }, { person, everyRevision: true })
  assert.equal(text, 'Not paid. The person declined.')
  assert.equal(sent.length, 0)
})
