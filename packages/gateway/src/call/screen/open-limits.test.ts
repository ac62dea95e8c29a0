import { expect, test } from 'vitest'
import { openTestEnv } from '../../../../../test-kit/gateway/test-env.ts'
import { anAskingServer } from '../../../../../test-kit/mcp/asking-servers.ts'
import { howMany, signIn, whichRegion } from '../../../../../test-kit/mcp/asking-tools.ts'
import { aClient } from '../../../../../test-kit/mcp/scripted-client.ts'
import { until } from '../../../../../test-kit/until.ts'
import { aRawServer, aSession, asks, call, complete, nextOf } from '../../contract/wire.suite.ts'
import type { Call, InputRequest } from '../model.ts'
import { noTelemetry } from '../telemetry-port.ts'
import { OpenAskLimits, type SomeOpenLimits } from './open-limits.ts'

const form: InputRequest = { kind: 'form', message: 'Which?', schema: {}, params: {} }
const callOf = (principal: string) => ({ principal }) as Call

function aCount(open: SomeOpenLimits) {
  let now = 0
  const asking = new OpenAskLimits({ isEnabled: true, askWaitMs: 1_000, open }, noTelemetry, () => now)
  return {
    asking,
    open: (principal: string, asks = 1, over?: Promise<void>, server = 'deploy') =>
      asking.open(
        callOf(principal),
        server,
        Object.fromEntries(Array.from({ length: asks }, (_, i) => [i, form])),
        over,
      ),
    wait: (ms: number) => {
      now += ms
    },
  }
}

test('[PROG-13] a question over the caller’s limit is refused, and other callers are not affected', () => {
  const { open, asking } = aCount({ perCaller: 2, total: 100 })

  expect([open('ann', 2).ok, open('ann').ok, open('bob').ok]).toEqual([true, false, true])
  expect(asking.size).toBe(3)
})

test('[PROG-13] a question over the total limit is refused for every caller', () => {
  const { open } = aCount({ perCaller: 2, total: 3 })

  expect([open('ann', 2).ok, open('bob', 2).ok, open('bob').ok, open('cy').ok]).toEqual([true, false, true, false])
})

test('[PROG-13] a server and a tenant have their own limits', () => {
  const { open } = aCount({ perCaller: 9, perServer: 2, perTenant: 3, total: 9 })
  const how = (server: string, person: string) => {
    const opened = open(person, 1, undefined, server)
    return opened.ok ? 'open' : opened.reason
  }

  expect([how('a', 'ann'), how('a', 'bob')]).toEqual(['open', 'open'])
  expect(how('a', 'cy')).toContain('The server a may have 2 questions open')
  expect(how('b', 'cy')).toBe('open')
  expect(how('c', 'cy')).toContain('This tenant may have 3 questions open')
})

test('[PROG-13] a stored question is counted in the store and not in the process', () => {
  const { open, asking } = aCount({ perCaller: 1, total: 9 })
  const first = open('ann')
  const round = first.ok ? first.round : undefined

  for (let i = 0; i < 3; i++) asking.onRecord(round, `ask-${i}`)
  expect([open('ann').ok, open('ann').ok, asking.size]).toEqual([true, false, 2])
  asking.ended(callOf('ann'), 'deploy', round, [])
  expect([open('ann').ok, asking.size]).toEqual([false, 1])
})

test('[WATCH-7] asks that ended in the store are no longer open here, and are subtracted only once', async () => {
  const { open, asking } = aCount({ perCaller: 9, total: 9 })
  const first = open('ann', 2)
  const round = first.ok ? first.round : undefined
  open('ann')
  for (const id of ['a', 'b']) asking.onRecord(round, id)
  const looked: (readonly string[])[] = []
  const recount = (...ids: readonly string[]) =>
    asking.recount(async (asked) => {
      looked.push(asked)
      return ids
    })

  await recount('a', 'b')
  expect(asking.size).toBe(3)
  await recount('b')
  await recount('b')
  expect(asking.size).toBe(2)
  asking.ended(callOf('ann'), 'deploy', round, [])
  expect(asking.size).toBe(1)
  await recount()
  expect(looked).toEqual([['a', 'b'], ['a', 'b'], ['b']])
})

test('[PROG-13] an answer, the end of its call and the expiry of a question each free one slot, once', async () => {
  const { open, asking, wait } = aCount({ perCaller: 1, total: 100 })
  const ends = Promise.withResolvers<void>()
  const first = open('ann')
  const round = first.ok ? first.round : undefined

  asking.ended(callOf('ann'), 'deploy', round, [])
  asking.ended(callOf('ann'), 'deploy', round, [])
  expect(open('ann', 1, ends.promise).ok).toBe(true)
  ends.resolve()
  await ends.promise
  await Promise.resolve()
  expect(open('ann').ok).toBe(true)
  expect(open('ann').ok).toBe(false)
  wait(1_000)
  expect(open('ann').ok).toBe(true)
  expect(asking.size).toBe(1)
})

test('[PROG-13] a request that no person answers is not counted', () => {
  const { asking } = aCount({ perCaller: 1, total: 1 })

  for (let i = 0; i < 3; i++) {
    expect(asking.open(callOf('ann'), 'deploy', { a: { kind: 'roots', params: {} } }, undefined)).toEqual({ ok: true })
  }
})

test('[PROG-13] a caller with too many open questions gets an error, and an answer frees a slot', async () => {
  const server = await aRawServer(({ params }) =>
    params.inputResponses === undefined ? asks({ where: whichRegion }) : complete,
  )
  const testEnv = await openTestEnv()
  const gateway = await testEnv.gateway({ deploy: { url: server.url } }, { openAsks: { perCaller: 2, total: 9 } })

  const [anns, bobs] = [await aSession(gateway.url), await aSession(gateway.url, { person: 'bob' })]
  const ask = async (session: typeof anns, id: number) =>
    nextOf(await session.ask('tools/call', { name: 'ask', arguments: {} }, id))

  const [first] = [await ask(anns, 1), await ask(anns, 2)]
  const beyond = await ask(anns, 3)
  const another = await ask(bobs, 1)
  await anns.post({ jsonrpc: '2.0', id: first.id, result: { action: 'decline' } })
  await until(() => (gateway.standing().openAsks === 2 ? true : undefined))
  const again = await ask(anns, 4)

  expect(beyond.error).toMatchObject({ code: -32_000, message: expect.stringContaining('2 questions open') })
  expect([another, again].map(({ method }) => method)).toEqual(['elicitation/create', 'elicitation/create'])
})

test('[PROG-13] a question that its caller carries counts only once it is stored, until it has ended there', async () => {
  const { asking } = aCount({ perCaller: 1, total: 1 })
  const carried = { ...callOf('ann'), scope: '' }
  const rounds = [1, 2].map(() => asking.open(carried, 'deploy', { a: form }, undefined))

  expect(rounds).toEqual([1, 2].map(() => ({ ok: true, round: { id: expect.any(String), atMs: 0 } })))
  expect(asking.size).toBe(0)
  for (const [index, one] of rounds.entries()) asking.onRecord(one.ok ? one.round : undefined, `ask-${index}`)
  expect(asking.size).toBe(2)
  await asking.recount(async () => ['ask-1'])
  expect(asking.size).toBe(1)
  const [, second] = rounds
  asking.ended(callOf('ann'), 'deploy', second?.ok ? second.round : undefined, [])
  expect(asking.size).toBe(0)
})

test('[PROG-13] a server that waits inside its call gets the error too, and continues without an answer', async () => {
  const server = await anAskingServer('2025-11-25')
  const gateway = await (await openTestEnv()).gateway(
    { deploy: { url: server.url } },
    { openAsks: { perCaller: 1, total: 1 } },
  )
  const session = await aSession(gateway.url)
  const question = await nextOf(
    await session.ask('tools/call', { name: 'ask', arguments: { questions: [whichRegion] } }, 1),
  )
  const second = await session.ask('tools/call', { name: 'ask', arguments: { questions: [howMany] } }, 2)

  expect(await nextOf(second)).toMatchObject({ id: 2, result: { content: [{ text: 'done' }] } })
  expect(question.method).toBe('elicitation/create')
  expect(server.saw).toEqual([{ error: expect.stringContaining('may have 1') }])
})

test.each(['2025-11-25', '2026-07-28'] as const)(
  '[PROG-12] with asking disabled, a %s server sees a client that cannot be asked, and no person is asked',
  async (generation) => {
    const server = await anAskingServer(generation)
    const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } }, { asksEnabled: false })
    const client = await aClient('2025-11-25', gateway.url)

    const outcome = await client.call('ask', { questions: [whichRegion] }).catch((error: unknown) => error)

    expect(client.asked).toEqual([])
    if (generation === '2025-11-25')
      expect(server.saw).toEqual([{ error: expect.stringMatching(/-32601|not support/i) }])
    // The server's SDK refuses to ask a client without the capability.
    else expect(outcome).toMatchObject({ code: expect.any(Number) })
  },
)

test('[PROG-12] with asking disabled, the call of a server that asks anyway is refused with -32601', async () => {
  const server = await aRawServer(() => asks({ where: whichRegion }))
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } }, { asksEnabled: false })

  const { message } = await call(gateway.url, {})

  expect(message.error).toMatchObject({ code: -32_601, message: expect.stringContaining('asks.enabled: false') })
  expect(server.requests[0]?.params._meta).toMatchObject({ 'io.modelcontextprotocol/clientCapabilities': {} })
})

test('[PROG-12] an older server gets -32601 for a client that cannot be asked, and -32602 for a missing mode', async () => {
  const said: unknown[] = []
  const { anOlderRawServer } = await import('../../contract/wire.suite.ts')
  const server = await anOlderRawServer(({ say, end }) => {
    say({ id: 'q', method: 'elicitation/create', params: said.length === 0 ? whichRegion : signIn })
    said.push(1)
    // It ends when it has the reply to its question.
    void until(() => (replies().length === said.length ? true : undefined)).then(() => end({ result: { content: [] } }))
  })
  const replies = () => server.received.filter(({ id }) => id === 'q')
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  await call(gateway.url, {}, {}, { capabilities: {} })
  await call(gateway.url, {}, {}, { capabilities: { elicitation: { form: {} } } })

  const errors = replies().map(({ error }) => (error as { code: number }).code)
  expect(errors).toEqual([-32_601, -32_602])
})

test('[PROG-12] on the newest revision the missing capability is -32021, and names what was needed', async () => {
  const server = await aRawServer(() => asks({ where: whichRegion }))
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  const { message, status } = await call(gateway.url, {}, {}, { capabilities: {} })

  expect(status).toBe(400)
  expect(message.error).toMatchObject({ code: -32_021, data: { requiredCapabilities: { elicitation: { form: {} } } } })
})

test('[PROG-12] a form outside the subset is refused with -32602, and the error names the place', async () => {
  const nested = { type: 'object', properties: { a: { type: 'object', properties: {} } } }
  const server = await aRawServer(() => asks({ where: { ...whichRegion, requestedSchema: nested } as never }))
  const gateway = await (await openTestEnv()).gateway({ deploy: { url: server.url } })

  const { message } = await call(gateway.url, {})

  expect(message.error).toMatchObject({ code: -32_602, message: expect.stringContaining('/properties/a') })
})
