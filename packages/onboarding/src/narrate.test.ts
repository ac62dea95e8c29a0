// Summaries by the client's model: returned if the client offers sampling, never required.
import { InMemoryTransport } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { afterEach, expect, test } from 'vitest'
import { createRepository, type TestRepository } from './fixtures/fixture.suite.ts'
import { conflicting } from './fixtures/repositories.corpus.ts'
import { createTestEnv } from './test-env.suite.ts'
import { onboardingServer } from './test-server.suite.ts'

let placed: TestRepository | undefined
afterEach(async () => {
  await placed?.remove()
  placed = undefined
})

async function analysedBy(model: (prompt: string) => string): Promise<Record<string, unknown>> {
  placed = await createRepository(conflicting)
  const [near, far] = InMemoryTransport.createLinkedPair()
  const serving = serveStdio(onboardingServer({ folder: placed.root, home: placed.home }), { transport: far })
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

test('[ONBOARD-19] if the client offers sampling, the text of its model is returned next to ours', async () => {
  const data = await analysedBy((prompt) => (prompt.includes('package manager') ? 'Two files disagree.' : 'Nothing.'))
  expect(data.narration).toEqual({ by: 'model', text: 'Two files disagree.' })
  expect(data.pattern).toBe('messy')
})

test('[ONBOARD-19] a model that fails or returns nothing only changes the narration', async () => {
  const failed = await analysedBy(() => {
    throw new Error('no model today')
  })
  expect(failed).toMatchObject({
    status: 'analyzed',
    narration: { by: 'rules', why: expect.stringContaining('no model') },
  })
  await placed?.remove()
  expect(await analysedBy(() => '  ')).toMatchObject({ narration: { by: 'rules', why: 'the model returned no text' } })
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[ONBOARD-19] without a model, on %s, the text is our own',
  async (generation) => {
    const env = await createTestEnv(conflicting, { generation })
    const { data } = await env.call('analyze')
    expect(data).toMatchObject({
      status: 'analyzed',
      narration: { by: 'rules' },
      message: expect.stringContaining('C1'),
    })
    await env.remove()
  },
)
