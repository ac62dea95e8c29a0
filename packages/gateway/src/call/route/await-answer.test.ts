import { expect, test } from 'vitest'
import type { Outcome } from '../model.ts'
import { awaitedAsk, awaitTool, pendingResult, plainResult, unknownResult, withAwaitTool } from './await-answer.ts'
import { callOf } from './sample-rounds.suite.ts'

const listing = callOf({ method: 'tools/list', params: {} })
const awaiting = (params: object) => callOf({ params: { name: awaitTool, ...params } })

test('[ROUTE-8] only a call of this tool names an ask', () => {
  expect(awaitedAsk(awaiting({ arguments: { ask_id: 'ask_1' } }))).toBe('ask_1')
  expect(awaitedAsk(callOf({ params: { name: 'deploy', arguments: { ask_id: 'ask_1' } } }))).toBeUndefined()
  const prompt = { method: 'prompts/get', params: { name: awaitTool, arguments: { ask_id: 'ask_1' } } }
  expect(awaitedAsk(callOf(prompt))).toBeUndefined()
})

test.each([{}, { arguments: {} }, { arguments: { ask_id: 1 } }, { arguments: 'ask_1' }])(
  '[ROUTE-8] a call of this tool without a valid ask id names no existing ask: %j',
  (params) => {
    expect(awaitedAsk(awaiting(params))).toBe('')
  },
)

test('[ROUTE-8] the tool is listed on the last page, with a schema that requires the ask id', () => {
  const listed = withAwaitTool(listing, { kind: 'finished', result: { tools: [{ name: 'deploy' }], ttlMs: 5 } })

  expect(listed).toEqual({
    kind: 'finished',
    result: {
      tools: [
        { name: 'deploy' },
        {
          name: 'assent__await_answer',
          title: expect.stringMatching(/\w/),
          description: expect.stringMatching(/ask_id.*again.*Do not repeat the earlier call/),
          inputSchema: {
            type: 'object',
            properties: { ask_id: { type: 'string', description: expect.stringMatching(/\w/) } },
            required: ['ask_id'],
            additionalProperties: false,
          },
          annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
        },
      ],
      ttlMs: 5,
    },
  })
})

const lists: readonly (readonly [string, string, Outcome])[] = [
  ['an earlier page', 'tools/list', { kind: 'finished', result: { tools: [], nextCursor: 'more' } }],
  ['a list of something else', 'prompts/list', { kind: 'finished', result: { tools: [] } }],
  ['a result without a list', 'tools/list', { kind: 'finished', result: { tools: 'none' } }],
  ['an error', 'tools/list', { kind: 'failed', error: { code: -1, message: 'no' } }],
]
test.each(lists)('[ROUTE-8] the tool is not added to %s', (_what, method, outcome) => {
  expect(withAwaitTool(callOf({ method }), outcome)).toBe(outcome)
})

test('[ROUTE-8] a pending call is an error result with its handle, its deadline and where the person is asked', () => {
  const expiresAtMs = Date.UTC(2030, 0, 2, 3, 4, 5)
  const pending = pendingResult({ askId: 'ask_1', expiresAtMs, askUrl: 'https://inbox.example/asks/ask_1' })

  expect(pending).toEqual({
    content: [
      { type: 'text', text: expect.stringContaining('in the Assent inbox at https://inbox.example/asks/ask_1 until') },
    ],
    structuredContent: {
      status: 'pending',
      message: expect.stringContaining('Then call assent__await_answer with {"ask_id": "ask_1"}'),
      askId: 'ask_1',
      expiresAt: '2030-01-02T03:04:05.000Z',
      askUrl: 'https://inbox.example/asks/ask_1',
    },
    isError: true,
  })
  expect(JSON.stringify(pending)).toContain('Then call assent__await_answer with')
  expect(JSON.stringify(pending)).toContain('Do not make the same call again.')
})

test('[ROUTE-8] a pending call at a gateway whose inbox has no address names none', () => {
  const { content, structuredContent } = pendingResult({ askId: 'ask_1', expiresAtMs: 0 })

  const expiresAt = '1970-01-01T00:00:00.000Z'
  expect(structuredContent).toStrictEqual({ status: 'pending', message: expect.any(String), askId: 'ask_1', expiresAt })
  expect(JSON.stringify(content)).toContain('who is asked in the Assent inbox until 1970-01-01T00:00:00.000Z.')
})

test('[FLEET-10] while the store is unavailable, the call stays pending and its handle is quoted as JSON', () => {
  const { content, ...rest } = unknownResult('ask_"1')

  const message = expect.stringContaining('{"ask_id": "ask_\\"1"} again later')
  expect(rest).toEqual({ structuredContent: { status: 'pending', message, askId: 'ask_"1' }, isError: true })
  expect(content).toEqual([{ type: 'text', text: expect.stringContaining('{"ask_id": "ask_\\"1"} again later') }])
  expect(JSON.stringify(content)).toContain('it is not known whether the person has answered')
})

test('[ROUTE-8] any other end is one text, marked as an error', () => {
  expect(plainResult('The call was cancelled.')).toEqual({
    content: [{ type: 'text', text: 'The call was cancelled.' }],
    isError: true,
  })
})
