import { randomUUID } from 'node:crypto'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'
import type { Interaction } from '../interaction.ts'
import { recordingRaw } from '../raw-arguments.ts'
import { accept, type RoundHandler, roundsOf } from '../rounds.suite.ts'

const handler: RoundHandler = async (_, { ask }) => ask.text('Name?')
const answers = { 'ask-1': accept({ text: 'Ada' }) }

test('[SDK-34] a state from before a restart without keys is refused with that reason', async () => {
  const before = roundsOf(createAssent().interactive, handler)
  const onRefused = vi.fn()
  const after = createAssent({ onRefused })
  const { state } = await before()
  const round = await roundsOf(after.interactive, handler)(undefined, { state, answers })
  expect(round.code).toBe('state_refused')
  expect(round.text).toContain('It was sealed by another process')
  expect(round.text).toContain('createAssent({ keys })')
  expect(onRefused).toHaveBeenCalledWith('unknown-key')
  expect(() => after.state.verify(state ?? '', {})).toThrow('It was sealed by another process')
  const other = await roundsOf(after.interactive, handler)(undefined, { state: 'x', answers })
  expect(other.text).toContain('belong to another call, another user')
})

test('[SDK-34] a 2025 client on a server without sessions receives the error that the server cannot ask', async () => {
  const { interactive } = createAssent()
  const served = createMcpHandler(() => {
    const server = new McpServer({ name: 's', version: '1' })
    server.registerTool(
      'greet',
      {},
      interactive(async ({ ask }: Interaction) => ask.text('Name?'), { name: 'greet' }),
    )
    return server
  })
  const response = await served.fetch(
    new Request('http://127.0.0.1/mcp', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'greet', arguments: {} } }),
    }),
  )
  expect(await response.text()).toContain('this server handles HTTP without sessions')
})

test('[SDK-35] the handler gets the arguments of the first round in every round, and state is bound to the raw ones', async () => {
  const seen: unknown[] = []
  const wrapped = createAssent().interactive<[object], unknown, unknown>(
    async (args: object, { ask }: Interaction) => {
      seen.push(args)
      return ask.text('Name?')
    },
    { name: 'tool' },
  )
  // Defaults that a schema generates.
  const added = () => ({ id: randomUUID(), at: new Date(5), url: new URL('https://a.example'), no: undefined })
  const validate = (raw: unknown) => ({ value: { ...(raw as object), ...added() } })
  const schema = recordingRaw({ '~standard': { version: 1, vendor: 'test', validate } })
  const call = async (raw: object, retry: object = {}) => {
    const context = {
      mcpReq: {
        id: 1,
        method: 'tools/call',
        envelope: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        },
        ...retry,
      },
    }
    const { value } = (await schema['~standard'].validate(raw)) as { value: object }
    return (await wrapped(value, context)) as { requestState?: string; content?: [{ text: string }]; _meta?: object }
  }
  const { requestState } = await call({ env: 'a' })
  const retry = { requestState: () => requestState, inputResponses: answers }
  expect((await call({ env: 'a' }, retry)).content?.[0].text).toBe('Ada')
  expect(seen).toHaveLength(2)
  expect(seen[1]).toStrictEqual(seen[0])
  expect((await call({ env: 'b' }, retry))._meta).toMatchObject({ 'assent/refusal': { code: 'state_refused' } })
})
