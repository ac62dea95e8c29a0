// Stories told by the client's model: passed on where they are offered, needed nowhere.
import { InMemoryTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { afterEach, expect, test } from 'vitest'
import { assentTools } from '../server.ts'
import { type Placed, place } from './fixtures/fixture.suite.ts'
import { conflicting } from './fixtures/repositories.corpus.ts'
import { staged } from './stage.suite.ts'

let placed: Placed | undefined
afterEach(async () => {
  await placed?.remove()
  placed = undefined
})

async function analysedBy(model: (prompt: string) => string): Promise<Record<string, unknown>> {
  placed = await place(conflicting)
  const [near, far] = InMemoryTransport.createLinkedPair()
  const serving = serveStdio(assentTools({ folder: placed.root }), { transport: far })
  const client = new Client({ name: 'storyteller', version: '1.0.0' }, { capabilities: { sampling: {} } })
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => ({
    model: 'staged',
    role: 'assistant' as const,
    content: { type: 'text' as const, text: model(JSON.stringify(params.messages)) },
  }))
  await client.connect(near as unknown as Transport)
  const result = await client.callTool({ name: 'onboarding', arguments: { action: 'analyze' } })
  await client.close()
  await serving.close()
  return result.structuredContent as Record<string, unknown>
}

test('[ONBOARD-19] where the client offers its model, its words are passed on beside ours', async () => {
  const data = await analysedBy((prompt) => (prompt.includes('package manager') ? 'Two files disagree.' : 'Nothing.'))
  expect(data.narration).toEqual({ by: 'model', text: 'Two files disagree.' })
  expect(data.pattern).toBe('messy')
})

test('[ONBOARD-19] a model that fails or says nothing changes nothing but the story', async () => {
  const failed = await analysedBy(() => {
    throw new Error('no model today')
  })
  expect(failed).toMatchObject({
    status: 'analyzed',
    narration: { by: 'rules', why: expect.stringContaining('no model') },
  })
  await placed?.remove()
  expect(await analysedBy(() => '  ')).toMatchObject({ narration: { by: 'rules', why: 'the model said nothing' } })
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[ONBOARD-19] without a model, on %s, the words are ours',
  async (generation) => {
    const stage = await staged(conflicting, { generation })
    const { data } = await stage.call('analyze')
    expect(data).toMatchObject({
      status: 'analyzed',
      narration: { by: 'rules' },
      message: expect.stringContaining('C1'),
    })
    await stage.remove()
  },
)
