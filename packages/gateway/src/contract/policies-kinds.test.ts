import { expect, onTestFinished, test } from 'vitest'
import { answerInInbox, firstAsk, openAsks } from '../../../../test-kit/gateway/answer-in-inbox.ts'
import { until } from '../../../../test-kit/until.ts'
import { policyLimits, setLimits } from '../limits.ts'
import { aGatewayWithPolicies, allowAll, ben, cleo, type PolicyText, twoOfRelease } from './policies.suite.ts'
import { aRawServer, aSession, complete, nextOf, type RawRequest, request } from './wire.suite.ts'

const reads: Readonly<Record<string, object>> = {
  'tools/list': { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] },
  'prompts/list': { prompts: [{ name: 'summary' }] },
  'prompts/get': { messages: [] },
  'resources/list': {
    resources: [
      { name: 'plan', uri: 'notes://plan' },
      { uri: 'notes://secret', name: 'secret' },
    ],
  },
  'resources/read': { contents: [] },
  'completion/complete': { completion: { values: [] } },
}
const served = ({ method }: RawRequest): unknown =>
  method in reads ? { result: { resultType: 'complete', ttlMs: 0, cacheScope: 'public', ...reads[method] } } : complete
const all = { tools: {}, prompts: {}, resources: { subscribe: true }, completions: {} }
const accept = { action: 'accept' }

async function behind(policies: readonly PolicyText[], react = served) {
  const server = await aRawServer(react, all)
  const started = await aGatewayWithPolicies({ notes: { url: server.url } }, policies, { holdMs: 10 })
  const methods = () => server.requests.map(({ method }) => method)
  return { ...started, url: started.gateway.url, methods }
}

const secretClosed: PolicyText = {
  name: 'secret',
  kind: 'resources',
  targets: ['notes/notes://secret'],
  effect: 'deny',
}
const readAll: PolicyText = { name: 'reading', kind: 'resources', effect: 'allow' }
const promptsAsked: PolicyText = { ...twoOfRelease, kind: 'prompts' }

test('[POLICY-33] a resource that a policy denies is not read, subscribed to, completed or listed; others are', async () => {
  const { url, methods } = await behind([readAll, secretClosed])
  const read = (uri: string) => request(url, 'resources/read', { uri })

  expect((await read('notes://plan')).message.result).toMatchObject({ contents: [] })
  expect((await read('notes://secret')).message.error.message).toBe(
    'The policy "secret" denies this call. Nothing ran. Do not repeat the call; the person can ask the operator of the gateway.',
  )
  const completed = { ref: { type: 'ref/resource', uri: 'notes://secret' }, argument: { name: 'a', value: '' } }
  expect((await request(url, 'completion/complete', completed)).message.error.message).toContain('"secret"')
  const { resources } = (await request(url, 'resources/list', {})).message.result
  expect(resources).toEqual([{ name: 'plan', uri: 'notes://plan' }])
  expect(methods()).toEqual(['resources/read', 'resources/list'])
})

test('[POLICY-33] kinds that no policy mentions stay open', async () => {
  const { url } = await behind([readAll])

  expect((await request(url, 'prompts/get', { name: 'summary' })).message.result).toMatchObject({ messages: [] })
  expect((await request(url, 'tools/call', { name: 'ask', arguments: {} })).message.result).toMatchObject(
    complete.result,
  )
})

test('[POLICY-30] a prompt waits for its approvals, and its completion is refused until then', async () => {
  const { url, store, methods } = await behind([promptsAsked, { ...allowAll, kind: 'prompts' }])
  const first = (await request(url, 'prompts/get', { name: 'summary' })).message.result
  expect(first).toMatchObject({ resultType: 'input_required' })
  const ask = await firstAsk(store, ben)
  expect(ask.question).toMatchObject({ kind: 'approval', action: { kind: 'prompt', tool: 'summary' } })
  const completed = { ref: { type: 'ref/prompt', name: 'summary' }, argument: { name: 'a', value: '' } }
  expect((await request(url, 'completion/complete', completed)).message.error.message).toContain(
    'needs an approval each time',
  )
  expect(methods()).toEqual([])

  await answerInInbox(store, ask, accept, ben)
  await answerInInbox(store, ask, accept, cleo)
  const result = await until(async () => {
    const { result } = (await request(url, 'prompts/get', { name: 'summary', requestState: first.requestState }))
      .message
    return result.resultType === 'input_required' ? undefined : result
  })
  expect(result).toMatchObject({ messages: [] })
})

test('[POLICY-32] a refused prompt is an error with the reason', async () => {
  const { url, store } = await behind([promptsAsked, { ...allowAll, kind: 'prompts' }])
  const { requestState } = (await request(url, 'prompts/get', { name: 'summary' })).message.result
  await answerInInbox(store, await firstAsk(store, ben), { action: 'decline' }, ben)

  const error = await until(
    async () => (await request(url, 'prompts/get', { name: 'summary', requestState })).message.error,
  )
  expect(error.message).toBe('ben declined this call. Nothing ran.')
})

test('[POLICY-40] a tool that the server does not list, and arguments that are no object, do not run', async () => {
  const { url, methods } = await behind([allowAll])
  const textOf = async (params: Record<string, unknown>) =>
    (await request(url, 'tools/call', params)).message.result.content as readonly { text: string }[]

  expect((await textOf({ name: 'hidden', arguments: {} }))[0]?.text).toContain('does not list a tool')
  expect((await textOf({ name: 'ask', arguments: ['a'] }))[0]?.text).toContain('no valid name or arguments')
  expect(methods()).not.toContain('tools/call')
})

test('[POLICY-40] if the list of tools cannot be read, nothing runs', async () => {
  const broken = (asked: RawRequest) =>
    asked.method === 'tools/list' ? { error: { code: -32000, message: 'broken' } } : served(asked)
  const { url, methods } = await behind([allowAll], broken)

  const { message } = await request(url, 'tools/call', { name: 'ask', arguments: {} })

  expect(message.error.message).toContain('The list of tools could not be read.')
  expect(methods()).not.toContain('tools/call')
})

test('[POLICY-45] a tool whose definition changed after the approval is asked about again', async () => {
  onTestFinished(setLimits(policyLimits, { definitionsMs: 0 }))
  let description = 'first'
  const changing = (asked: RawRequest) =>
    asked.method === 'tools/list'
      ? { result: { resultType: 'complete', tools: [{ name: 'ask', description, inputSchema: { type: 'object' } }] } }
      : served(asked)
  const { url, store, methods } = await behind([allowAll, twoOfRelease], changing)
  const { requestState } = (await request(url, 'tools/call', { name: 'ask', arguments: {} })).message.result
  const ask = await firstAsk(store, ben)
  await answerInInbox(store, ask, accept, ben)
  await answerInInbox(store, ask, accept, cleo)
  description = 'second'

  const { result } = (await request(url, 'tools/call', { name: 'ask', arguments: {}, requestState })).message

  expect(result).toMatchObject({ resultType: 'input_required' })
  expect(await until(async () => (await openAsks(store, ben))[0])).not.toMatchObject({ id: ask.id })
  expect(methods()).not.toContain('tools/call')
})

test('[POLICY-46] a caller that waits gets the approvals that are needed, in words', async () => {
  const server = await aRawServer(served, all)
  const { gateway } = await aGatewayWithPolicies({ notes: { url: server.url } }, [allowAll, twoOfRelease], {
    patienceMs: 50,
  })
  const session = await aSession(gateway.url)

  const replies = await session.ask('tools/call', { name: 'ask', arguments: {} })

  expect(JSON.stringify(await nextOf(replies))).toContain('it needs 2 approvals from release (not from ann)')
})
