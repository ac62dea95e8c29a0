import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { whichRegion } from '../../../../test-kit/mcp/asking-tools.ts'
import { anOlderRawServer, aRawServer, asks, call, post } from './wire.suite.ts'

const numbers = '{"id":12345678901234567890,"price":0.12345678901234567891,"far":1e400,"plain":[1,2.5],"same":1.50}'
const structured = `{"content":[],"structuredContent":${numbers}}`

/** The text of the response, because parsing it here would round the numbers under test. */
async function textOfCall(url: string): Promise<string> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: 'ask', arguments: {}, _meta: meta }
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'ask' }
  return (await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { headers })).text()
}

test('[RELAY-15] numbers in a result of a 2026-07-28 server keep every digit', async () => {
  const server = await aRawServer(({ id }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(`{"jsonrpc":"2.0","id":${id},"result":${structured}}`)
  })
  const gateway = await (await openTestEnv()).gateway({ only: { url: server.url } })

  expect(await textOfCall(gateway.url)).toContain(numbers)
})

test('[RELAY-15] numbers in a streamed result of a 2025-11-25 server keep every digit', async () => {
  const server = await anOlderRawServer(({ id, response }) => {
    response.end(`data: {"jsonrpc":"2.0","id":${id},"result":${structured}}\n\n`)
  })
  const gateway = await (await openTestEnv()).gateway({ only: { url: server.url } })

  expect(await textOfCall(gateway.url)).toContain(numbers)
})

test('[RELAY-15] values that the relay checks are still parsed as plain numbers', async () => {
  const schema = {
    type: 'object',
    properties: { amount: { type: 'number', minimum: 0.125, maximum: 2 } },
    required: ['amount'],
  }
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined
      ? asks({ much: { ...whichRegion, requestedSchema: schema } }, 's')
      : { result: { resultType: 'complete', content: [], structuredContent: params.inputResponses } },
  )
  const gateway = await (await openTestEnv()).gateway({ only: { url: server.url } })
  const { requestState } = (await call(gateway.url, {})).message.result

  const accepted = { action: 'accept', content: { amount: 1.5 } }
  const { message } = await call(gateway.url, {}, { requestState, inputResponses: { much: accepted } })

  expect(message.result.structuredContent).toEqual({ much: accepted })
})
