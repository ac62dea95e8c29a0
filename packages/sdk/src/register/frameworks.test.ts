// Handlers in frameworks on top of SDK 1.x, whose context has a function to ask with: FastMCP, mcp-use.

import { expect, test, vi } from 'vitest'
import { createAssent } from '../assent.ts'

const assent = createAssent({ name: 'deploys', unseenAfterMs: 0 })

const deploy = assent.interactive<[{ env: string }]>(
  async ({ env }, { ask, gate }) => {
    const region = await ask.choose('Which region?', ['eu', 'us'])
    const { value } = await gate(
      { title: 'Deploy', arguments: { env, region } },
      (given) => `${given.env} ${given.region}`,
    )
    return value
  },
  { name: 'deploy' },
)

function contextOf(elicit: (params: { message: string }) => unknown) {
  return { elicit: async (params: { message: string }) => elicit(params), signal: new AbortController().signal }
}

test('[REG-5] questions are sent with the function of the framework', async () => {
  const elicit = vi.fn(({ message }: { message: string }) => ({
    action: 'accept',
    content: message === 'Which region?' ? { choice: 'eu' } : { decision: 'approve' },
  }))
  expect(await deploy({ env: 'test' }, contextOf(elicit))).toEqual({ content: [{ type: 'text', text: 'test eu' }] })
  expect(elicit).toHaveBeenCalledTimes(2)
})

test('[REG-5] a no, and a client that cannot ask, have different codes', async () => {
  const declined = await deploy(
    { env: 'test' },
    contextOf(() => ({ action: 'decline' })),
  )
  expect(declined).toMatchObject({ isError: true, _meta: { 'assent/refusal': { code: 'declined' } } })
  const cannot = () => {
    throw new Error('Client does not support form elicitation.')
  }
  expect(await deploy({ env: 'test' }, contextOf(cannot))).toMatchObject({
    isError: true,
    _meta: { 'assent/refusal': { code: 'not_supported' } },
  })
})

test.each([
  [
    'MCP error -32602: Elicitation response content does not match requested schema: data/choice must be string, data must have required property "choice"',
    'choice must be string, the answer must have required property "choice"',
  ],
  ['The response is not an object.', 'The response is not an object.'],
])('[ANSWER-5] an answer that the framework refuses is an error with the reason: %s', async (message, reason) => {
  const refuse = () => {
    throw Object.assign(new Error(message), { code: -32_602 })
  }
  const refused = await deploy({ env: 'test' }, contextOf(refuse))
  expect(refused).toMatchObject({ isError: true, _meta: { 'assent/refusal': { code: 'validation_failed' } } })
  expect(JSON.stringify(refused)).toContain(JSON.stringify(reason).slice(1, -1))
})

test('[REG-5] the handler declares its parameters: mcp-use passes its context only then', () => {
  expect(deploy).toHaveLength(2)
})
