import { expect, onTestFinished, test } from 'vitest'
import { listening } from '../../../../test-kit/close-after-test.ts'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { until } from '../../../../test-kit/until.ts'
import { AuthzenDecider } from '../call/policy/authzen-decider.ts'
import { policyLimits, setLimits } from '../limits.ts'
import {
  aGatewayWithPolicies,
  allowAll,
  ben,
  cleo,
  type PolicyText,
  policiesOf,
  twoOfRelease,
} from './policies.suite.ts'
import { aRawServer, call, complete, type RawRequest, request } from './wire.suite.ts'

const listed = { resultType: 'complete', ttlMs: 0, cacheScope: 'public', tools: [{ name: 'ask', inputSchema: {} }] }
const accept = { action: 'accept' }
const denied = {
  isError: true,
  content: [
    {
      text: 'The external decision point denies this call. Nothing ran. Do not repeat the call; the person can ask the operator of the gateway.',
    },
  ],
}

/** A gateway with a decision point whose answer can be changed. */
async function withDecisionPoint(policies: readonly PolicyText[], timeoutMs = 20_000) {
  const point = { answer: '{"decision":true}', requests: [] as { resource: { id: string }; context: object }[] }
  const { url } = await listening(async (message, response) => {
    let body = ''
    for await (const chunk of message.setEncoding('utf8')) body += chunk
    point.requests.push(JSON.parse(body))
    if (point.answer !== '') response.end(point.answer)
  })
  const server = await aRawServer(({ method }: RawRequest) => (method === 'tools/list' ? { result: listed } : complete))
  const settings = { endpoint: new URL(url), headers: {}, timeoutMs, mode: 'additional' } as const
  const decider = new AuthzenDecider(await policiesOf(...policies), settings, () => undefined)
  const started = await aGatewayWithPolicies({ deploy: { url: server.url } }, [], { policies: decider, holdMs: 10 })
  const runs = () => server.requests.filter(({ method }) => method === 'tools/call').length
  return { ...started, point, runs, url: started.gateway.url }
}

test('[AUTHZEN-1] a call runs only with the permit of an additional decision point', async () => {
  const { url, point, runs } = await withDecisionPoint([allowAll])

  expect((await call(url, { env: 'test' })).message.result).toMatchObject({ content: [{ text: 'done' }] })
  expect(point.requests).toMatchObject([
    { subject: { id: 'ann' }, resource: { id: 'deploy/ask' }, context: { arguments: { env: 'test' } } },
  ])
  point.answer = '{"decision":false}'
  expect((await call(url, {})).message.result).toMatchObject(denied)
  expect(runs()).toBe(1)
})

test('[AUTHZEN-3] a decision point that does not respond denies the call', async () => {
  const { url, point, runs } = await withDecisionPoint([allowAll], 200)
  point.answer = ''

  expect((await call(url, {})).message.result).toMatchObject({
    content: [{ text: expect.stringContaining('The external decision point gave no valid answer') }],
  })
  expect(runs()).toBe(0)
})

test('[AUTHZEN-5] people are not asked about a call that the decision point denies', async () => {
  const { url, point, store } = await withDecisionPoint([allowAll, twoOfRelease])
  point.answer = '{"decision":false}'

  expect((await call(url, {})).message.result).toMatchObject(denied)
  expect(await openAsks(store, ben)).toEqual([])
})

test.each([
  ['{"decision":false}', { result: { isError: true } }],
  // A retry may get an answer, so this is not the end of the call.
  ['{"decision":1}', { error: { message: expect.stringContaining('gave no valid answer') } }],
])('[AUTHZEN-5] the decision point is asked again when an approval is used: %s denies', async (answer, reply) => {
  const { url, point, store, runs } = await withDecisionPoint([allowAll, twoOfRelease])
  const { requestState } = (await call(url, {})).message.result
  const ask = await firstAsk(store, ben)
  await answerInInbox(store, ask, accept, ben)
  await answerInInbox(store, ask, accept, cleo)
  const asked = point.requests.length
  point.answer = answer

  const proceed = () =>
    until(async () => {
      const { message } = await call(url, {}, { requestState })
      return message.result?.resultType === 'input_required' ? undefined : message
    })
  expect(await proceed()).toMatchObject(reply)
  expect(point.requests.length).toBeGreaterThan(asked)
  expect(runs()).toBe(0)

  point.answer = '{"decision":true}'
  await proceed()
  expect(runs()).toBe('error' in reply ? 1 : 0)
})

test('[AUTHZEN-4] the decision point is not asked for lists', async () => {
  onTestFinished(setLimits(policyLimits, { definitionsMs: 0 }))
  const { url, point } = await withDecisionPoint([])
  point.answer = '{"decision":false}'

  const { tools, cacheScope } = (await request(url, 'tools/list', {})).message.result
  expect(tools).toContainEqual(expect.objectContaining({ name: 'ask' }))
  expect(cacheScope).toBe('public')
  expect(point.requests).toEqual([])
})
