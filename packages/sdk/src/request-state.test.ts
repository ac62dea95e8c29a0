import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { type Assent, createAssent } from './assent.ts'

const key = { id: 'k1', secret: new Uint8Array(32).fill(3) }

/** A real server of SDK 2.x with one tool that asks. The returned function is the client; it can change the state. */
function served(assent: Assent) {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 's', version: '1' }, { requestState: assent.state })
    server.registerTool(
      'greet',
      {},
      assent.interactive(async ({ ask }) => `Hello ${await ask.text('Who are you?')}`, { name: 'greet' }),
    )
    return server
  })
  return async (retry: object = {}): Promise<{ result?: Record<string, unknown>; error?: { code: number } }> => {
    const params = {
      name: 'greet',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'by hand', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      },
      ...retry,
    }
    const response = await handler.fetch(
      new Request('http://127.0.0.1/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'greet',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      }),
    )
    const text = await response.text()
    return JSON.parse(text.startsWith('{') ? text : (/^data: (.+)$/m.exec(text)?.[1] ?? 'null'))
  }
}

const inputResponses = { 'ask-1': { action: 'accept', content: { text: 'Ada' } } }

test('[SDK-23] a server that verifies the state accepts a valid one', async () => {
  const call = served(createAssent({ keys: [key] }))
  const { result } = await call()
  expect(result?.resultType).toBe('input_required')
  const { result: last } = await call({ inputResponses, requestState: result?.requestState })
  expect(last?.content).toEqual([{ type: 'text', text: 'Hello Ada' }])
})

test.each<[string, (state: string) => string | Promise<string>]>([
  ['changed', (state) => `${state.slice(0, 60)}${state[60] === 'A' ? 'B' : 'A'}${state.slice(61)}`],
  ['not one of ours', () => 'eyJyb3VuZCI6MX0'],
  ["another user's", () => stateOf(createAssent({ keys: [key], principal: () => 'eve' }))],
  ['sealed by another server', () => stateOf(createAssent())],
  ['too old', () => stateOf(createAssent({ keys: [key], nowMs: () => Date.UTC(2020, 0) }))],
])('[SDK-23] a state that is %s is a protocol error, and nothing runs', async (_, made) => {
  const call = served(createAssent({ keys: [key] }))
  const requestState = await made(await stateOf(createAssent({ keys: [key] })))
  const { result, error } = await call({ inputResponses, requestState })
  expect(error?.code).toBe(-32602)
  expect(result).toBeUndefined()
})

async function stateOf(assent: Assent): Promise<string> {
  return String((await served(assent)()).result?.requestState)
}
