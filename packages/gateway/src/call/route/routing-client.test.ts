import { type Ask, askCapability } from '@assent/core'
import { expect, test, vi } from 'vitest'
import type { Call, InputRequest, NeedsInput } from '../model.ts'
import type { Routing } from './routing.ts'
import { callOf, form, stateOf } from './sample-rounds.suite.ts'
import {
  asking,
  done,
  fast,
  link,
  no,
  relay,
  roots,
  routed,
  showsForms,
  slow,
  stateIn,
} from './sample-routing.suite.ts'

const region = form('Which?', {
  type: 'object',
  properties: { region: { type: 'string', enum: ['eu', 'us'] } },
  required: ['region'],
})
const wrong = { result: { action: 'accept', content: { region: 'moon' } } }
const page: InputRequest = { ...link, secret: { page: 'secret_1', publicKey: 'key', leftMs: 20_000 } }

test('[WAIT-1] with an inbox servers may ask in both modes, whatever the client declared', async () => {
  const { routing } = await routed([])
  expect(routing.hasInbox).toBe(true)
  expect(routing.profile({ name: 'x' }, { roots: {} })).toMatchObject({
    info: { name: 'x' },
    declared: { roots: {} },
    capabilities: { roots: {}, elicitation: { form: {}, url: {} }, experimental: { [askCapability]: {} } },
  })
})

test('[WAIT-1] without an inbox servers see what the client declared', async () => {
  const { routing } = await routed([], { settings: { surfaces: ['client'] } })
  const { capabilities, declared } = routing.profile({}, { elicitation: {} })

  expect(routing.hasInbox).toBe(false)
  expect(declared).toEqual({ elicitation: {} })
  expect(capabilities).toEqual({ elicitation: {}, experimental: { [askCapability]: {} } })
})

const surfaceOf = (routing: Routing, declared: object, server = 'deploy') => {
  const { shows, isRecorded } = routing.profile({}, { ...declared })
  return [shows?.(region, server), isRecorded?.(region, server)]
}

test('[RELAY-10] a question that only the inbox asks is recorded by the store; one that the client shows is not', async () => {
  const { routing } = await routed([], {
    settings: { surfacesOf: (name) => (name === 'few' ? ['client'] : undefined) },
  })
  expect(surfaceOf(routing, { elicitation: {} })).toEqual([true, false])
  expect(surfaceOf(routing, {})).toEqual([false, true])
  // Nobody can be asked: the relay refuses such a question.
  expect(surfaceOf(routing, {}, 'few')).toEqual([false, false])
})

test.each([
  ['with the inbox first', ['inbox', 'client'], undefined],
  ['without an inbox', ['client'], undefined],
  ['for a server with an inbox that the gateway lacks', ['client'], ['inbox']],
] as const)(
  '[RELAY-10] %s the store does not record questions in place of the relay',
  async (_what, surfaces, ofServer) => {
    const { routing } = await routed([], { settings: { surfaces, surfacesOf: () => ofServer } })
    expect(surfaceOf(routing, {})).toEqual([false, false])
  },
)

test('[CLIENT-5] a call is held as long as the operator says, counted from its start', async () => {
  const { routing, shutdown } = await routed([], { settings: { patienceMs: 5_000 } })
  const now = vi.spyOn(performance, 'now').mockReturnValue(1_000)
  const patience = routing.patienceOf(callOf(), 'http')
  now.mockReturnValue(3_000)
  expect(patience()).toEqual({ forMs: 3_000, canRetry: false, goesAt: 'draining' })
  now.mockReturnValue(9_000)
  expect(patience().forMs).toBe(0)
  now.mockRestore()
  shutdown.enter('draining')
  expect(routing.patienceOf(callOf(), 'http')().goesAt).toBe('final')
})

test('[CLIENT-5] without a setting the client’s known timeout applies, unless progress or the transport extends it', async () => {
  const { routing } = await routed([])
  const held = (name: string, over: 'http' | 'stdio', _meta?: object) => {
    const params = { name: 'deploy', ...(_meta === undefined ? {} : { _meta }) } as Call['params']
    return routing.patienceOf(callOf({ params, client: { info: { name }, declared: {}, capabilities: {} } }), over)()
      .forMs
  }
  expect(held('some client', 'http')).toBeLessThan(60_000)
  expect(held('some client', 'http')).toBeGreaterThan(0)
  expect(held('some client', 'http', {})).toBeLessThan(60_000)
  expect(held('claude-code', 'http')).toBeLessThan(600_000)
  expect(held('claude-code', 'http', { progressToken: 0 })).toBe(Number.POSITIVE_INFINITY)
  expect(held('Visual Studio Code', 'http')).toBe(Number.POSITIVE_INFINITY)
})

test('[FORM-22] an answer of a person that does not fit is asked again, with the reason', async () => {
  const { routing } = await routed([])
  const state = stateOf({ one: region, two: region, roots })
  const came = {
    one: { given: wrong, afterMs: slow },
    two: { given: no, afterMs: slow },
    unknown: { given: wrong, afterMs: slow },
  }

  expect(routing.problemWith(callOf(), region, came.one)).toEqual(expect.stringContaining('region'))
  expect(await routing.invalidAnswers(callOf(), state, came, {})).toEqual({
    one: { wanted: region, reason: expect.stringContaining('region') },
  })
})

test('[FORM-22] a form that is not in the state is asked again from what was stored beside it', async () => {
  const { routing } = await routed([])
  const state = { ...relay, schemas: { one: region.kind === 'form' ? region.schema : null } }
  const came = { one: { given: wrong, afterMs: slow } }

  expect(await routing.invalidAnswers(callOf(), state, came, { one: { message: 'Which?' } })).toMatchObject({
    one: { wanted: { kind: 'form', message: 'Which?' } },
  })
  expect(await routing.invalidAnswers(callOf(), state, came, {})).toEqual({})
})

test('[FORM-22] a question that the inbox asks, or that is answered, is not repeated to the client', async () => {
  const { routing } = await routed([])
  const came = { one: { given: wrong, afterMs: slow } }
  const inInbox = stateOf({ one: region }, { inInbox: { one: 'ask_1' } })
  const kept = stateOf({ one: region }, { kept: { one: no } })

  expect(await routing.invalidAnswers(callOf(), inInbox, came, {})).toEqual({})
  expect(await routing.invalidAnswers(callOf(), kept, came, {})).toEqual({})
})

test('[FORM-22] once the inbox asks one of them as well, nothing is repeated; a fallback that has not begun does not count', async () => {
  const { routing, exchange, firstAsk } = await routed([asking({ one: region })], {
    settings: { silentAfterMs: 1_500 },
  })
  const state = stateIn(await exchange.start(showsForms))
  const came = { one: { given: wrong, afterMs: slow } }

  expect(Object.keys((await routing.invalidAnswers(showsForms, state, came, {})) ?? {})).toEqual(['one'])
  await firstAsk()
  expect(await routing.invalidAnswers(showsForms, state, came, {})).toBeUndefined()
})

const leaving = () => new AbortController()
const never = 3_600_000
const outcomeOf = (more: Partial<NeedsInput<ReturnType<typeof stateOf>>> = {}, state = stateOf({ one: region })) =>
  ({ kind: 'input-required', wanted: { one: region, roots }, state, ...more }) as const

/** Whether this wait has ended. */
const isOver = async (waiting: Promise<string>) =>
  (await Promise.race([waiting, new Promise<undefined>((resolve) => setTimeout(resolve, 20, undefined))])) !== undefined

test('[ROUTE-10] the client need not show a question any more once it is answered in the inbox', async () => {
  const { routing, exchange, firstAsk, answer } = await routed([asking()], { settings: { silentAfterMs: 10 } })
  const first = (await exchange.start(showsForms)) as NeedsInput<ReturnType<typeof stateOf>>
  const reason = routing.elsewhere(showsForms, first, 'one', never, leaving().signal)
  await answer(await firstAsk(), { action: 'decline' })

  expect(await reason).toBe('It was answered in the inbox.')
})

test('[FLEET-6] at the end of the drain time a question that the client still has goes to the inbox', async () => {
  const { routing, shutdown } = await routed([])
  const reason = routing.elsewhere(callOf(), outcomeOf(), 'one', never, leaving().signal)
  shutdown.enter('draining')
  expect(await isOver(reason)).toBe(false)
  shutdown.enter('final')

  expect(await reason).toBe('It is now asked in the inbox.')
})

test('[FLEET-6] a question stays in the client if its server waits in this process, no person answers it, or there is no inbox', async () => {
  const { routing, shutdown } = await routed([])
  const { signal } = leaving()
  const over = new Promise<void>(() => undefined)
  const waits = [
    routing.elsewhere(callOf(), outcomeOf({ over }), 'one', never, signal),
    routing.elsewhere(callOf(), outcomeOf(), 'roots', never, signal),
    routing.elsewhere(callOf(), outcomeOf(), 'unknown', never, signal),
    routing.elsewhere(callOf(), asking({ one: region }), 'one', never, signal),
  ]
  shutdown.enter('closed')

  expect(await Promise.all(waits.map(isOver))).toEqual(Array(4).fill(false))
})

test('[FLEET-6] a question that has ended is not followed at shutdown', async () => {
  const { routing, shutdown } = await routed([])
  const unsubscribe = vi.fn()
  vi.spyOn(shutdown, 'onPhase').mockReturnValue(unsubscribe)
  const ending = leaving()
  void routing.elsewhere(callOf(), outcomeOf(), 'one', never, ending.signal)
  expect(unsubscribe).not.toHaveBeenCalled()
  ending.abort()

  expect(unsubscribe).toHaveBeenCalledOnce()
})

test('[WAIT-9] when the server stops waiting for an answer, the copy in the inbox is withdrawn', async () => {
  const { routing, exchange, firstAsk, read, store } = await routed([asking()], { settings: { silentAfterMs: 10 } })
  const state = stateIn(await exchange.start(showsForms))
  const id = await firstAsk()
  const withdrawing = vi.spyOn(store.asks, 'withdraw')
  await routing.stopped(showsForms, state, 'other')
  await routing.stopped(showsForms, relay, 'one')
  expect(withdrawing).not.toHaveBeenCalled()

  await routing.stopped(showsForms, state, 'one')
  expect((await read(id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'asker-stopped' })
})

test('[RUN-1] a call whose caller dropped its first request leaves no ask behind', async () => {
  const { routing, exchange, open } = await routed([asking()], { wait: { forMs: 10, canRetry: true } })
  const first = (await exchange.start(callOf())) as NeedsInput<ReturnType<typeof stateOf>>
  expect(await open()).toHaveLength(1)
  await routing.abandon(callOf(), first)
  await routing.abandon(callOf(), asking())

  expect(await open()).toEqual([])
})

/** A client that shows links, and a page for a secret that belongs to Ann. */
async function withPage(wanted: NeedsInput['wanted'], perCaller = 100) {
  const gateway = await routed([asking(wanted, { round: { id: 'round', atMs: 1 } }), done], { perCaller })
  const key = { tenant: 'default', id: 'secret_1', server: 'deploy', publicKey: 'key' }
  await gateway.store.secrets.open({ ...key, decideWithinMs: 60_000, keepMs: 60_000, perServer: 9, inAll: 9 })
  await gateway.store.secrets.bind(key, 'ann')
  const call = callOf({ client: { info: {}, declared: { elicitation: { form: {}, url: {} } }, capabilities: {} } })
  const handOver = (id: string | undefined) =>
    gateway.store.secrets.handOver({
      tenant: 'default',
      id: id ?? '',
      page: 'secret_1',
      person: { principal: 'ann', groups: [] },
      sealed: 'sealed',
    })
  return { ...gateway, call, handOver }
}

test('[SECRET-2] agreeing in the client to open a page is no answer: what the person does on the page is', async () => {
  const { exchange, call, open, handOver, sent, reports } = await withPage({ page })
  const first = await exchange.start(call)
  expect(first).toMatchObject({ wanted: { page: { kind: 'url' } } })
  const [ask] = await open()
  expect(Object.values(stateIn(first).copies)).toEqual([ask?.id])

  // However fast: it does not count anyway.
  const calling = exchange.continue(call, stateIn(first), {
    page: { given: { result: { action: 'accept' } }, afterMs: fast },
  })
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(sent).toEqual([])
  await handOver(ask?.id)

  expect(await calling).toEqual(done)
  expect(sent).toEqual([{ page: { result: { action: 'accept' } } }])
  expect(reports).toEqual([])
})

test('[SECRET-2] declining a page in the client is an answer', async () => {
  const { exchange, call, sent } = await withPage({ page })
  const state = stateIn(await exchange.start(call))

  expect(await exchange.continue(call, state, { page: { given: no, afterMs: slow } })).toEqual(done)
  expect(sent).toEqual([{ page: no }])
})

test('[FLEET-8] if another question of the round exceeds a limit, the ask of the page is withdrawn too', async () => {
  const { exchange, open, refused } = await withPage({ page, other: form('One?') }, 1)
  // The client shows the page, and the inbox the form.
  const call = callOf({ client: { info: {}, declared: { elicitation: { url: {} } }, capabilities: {} } })

  expect(await exchange.start(call)).toEqual(done)
  expect(refused).toHaveLength(1)
  expect(await open()).toEqual([])

  const other = await withPage({ page, other: form('One?') })
  const raise = other.store.asks.raise.bind(other.store.asks)
  vi.spyOn(other.store.asks, 'raise')
    .mockImplementationOnce(raise)
    .mockRejectedValueOnce(new Error('The store is down.'))
  await expect(other.exchange.start(call)).rejects.toThrow('is down')
  // The error may be temporary, and the page can still be used.
  expect(await other.open()).toHaveLength(1)
})

test('[ROUTE-6] the asks of a held call are used for the inbox, and none is raised again', async () => {
  const { exchange, open, store } = await routed([asking({ one: form('One?') }, {}, { asks: { one: 'ask_1' } })], {
    wait: { forMs: 10, canRetry: true },
  })
  vi.spyOn(store.asks, 'wait').mockResolvedValue({ state: { kind: 'open' } } as Ask)
  const state = stateIn(await exchange.start(callOf()))

  expect([state.inInbox, state.onRecord]).toEqual([{ one: 'ask_1' }, { one: 'ask_1' }])
  expect(await open()).toEqual([])
})

test('[ROUTE-10] the inbox does not begin to ask a question when the request that asked the client has ended', async () => {
  const { routing, exchange, open, store } = await routed([asking({ one: form('One?'), two: form('Two?') })], {
    settings: { silentAfterMs: 100 },
  })
  const outcome = (await exchange.start(showsForms)) as NeedsInput<ReturnType<typeof stateOf>>
  expect(Object.keys(outcome.state.copies)).toEqual(['one', 'two'])
  const raise = vi.spyOn(store.asks, 'raise')

  routing.stopFallback(outcome)
  await new Promise((resolve) => setTimeout(resolve, 200))

  expect(raise).not.toHaveBeenCalled()
  expect(await open()).toEqual([])
})
