import type { JsonObject } from '@assent/core'
import { expect, test } from 'vitest'
import { aGatewayWithPolicies, allowAll } from './policies.suite.ts'
import { anOlderRawServer, request } from './wire.suite.ts'

const first: JsonObject = { name: 'ask', inputSchema: { type: 'object' } }
const wider: JsonObject = { name: 'ask', inputSchema: { type: 'object', properties: { force: { type: 'boolean' } } } }

test('[POLICY-73] a change that a server with sessions announces counts from the next call, also if no client listens', async () => {
  let definition = first
  const server = await anOlderRawServer(({ method, say, end }) => {
    if (method === 'tools/list') return end({ result: { tools: [definition] } })
    definition = wider
    say({ method: 'notifications/tools/list_changed' })
    end({ result: { content: [{ type: 'text', text: 'done' }] } })
  })
  const { gateway } = await aGatewayWithPolicies({ deploy: { url: server.url } }, [allowAll], { holdMs: 10 })
  const call = async () => (await request(gateway.url, 'tools/call', { name: 'ask', arguments: {} })).message.result

  expect(await call()).toMatchObject({ content: [{ text: 'done' }] })
  // The policies allow it, but the definition is not accepted.
  expect(await call()).toMatchObject({ resultType: 'input_required' })
})
