import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { until } from '../../../../../test-kit/until.ts'
import { relayLimits, setLimits } from '../../limits.ts'
import type { CallerWait } from '../layers.ts'
import { type NeedsInput, unsent } from '../model.ts'
import { OpenAskLimits } from '../screen/open-limits.ts'
import { unseen } from '../screen/screen-questions.ts'
import type { RoutingSettings } from './routing.ts'
import { callOf, form } from './sample-rounds.suite.ts'
import {
  asking,
  done,
  fast,
  link,
  no,
  patient,
  relay,
  roots,
  routed,
  showsForms,
  slow,
  stateIn,
  yes,
} from './sample-routing.suite.ts'
import { unseenAskId } from './unseen-answers.ts'

const round = { id: 'round', atMs: 1 }
const retry: CallerWait = { forMs: 60_000, canRetry: true, retry: { runsOn: true } }

let restore: () => void
beforeEach(() => {
  restore = setLimits(relayLimits, { roundsPerCall: 3 })
})
afterEach(() => restore())

test('[ROUTE-1] [ROUTE-3] a question that the client cannot show is answered in the inbox, and the call continues', async () => {
  const { exchange, firstAsk, answer, sent, calls } = await routed([asking(), done])
  const calling = exchange.start(callOf())
  await answer(await firstAsk())

  expect(await calling).toEqual(done)
  expect(sent).toEqual([{ one: yes }])
  expect(calls[0]?.state).toEqual(relay)
})

test('[ROUTE-1] a call that asks nothing is returned unchanged', async () => {
  const { exchange } = await routed([done])
  expect(await exchange.start(callOf())).toBe(done)
})

test.each<[string, Partial<RoutingSettings>]>([
  ['without an inbox', { surfaces: ['client'] }],
  ['for a server without the inbox', { surfacesOf: () => ['client'] }],
  ['for a server with an inbox that the gateway lacks', { surfaces: ['client'], surfacesOf: () => ['inbox'] }],
])('[ROUTE-13] %s routing changes nothing', async (_what, settings) => {
  const asked = asking({ page: { ...link, secret: { page: 'secret_1', publicKey: 'key', leftMs: 9_000 } } })
  const { exchange, open } = await routed([asked], { settings })

  expect(await exchange.start(callOf())).toBe(asked)
  expect(await open()).toEqual([])
})

test('[ROUTE-13] without an inbox the client’s answers are sent as they are, except an approval that is too fast', async () => {
  const { exchange, sent, reports } = await routed([done], { settings: { surfaces: ['client'] } })
  const schemas = { one: { type: 'object', properties: {} }, two: { type: 'object', properties: {} } }
  const came = { one: { given: yes, afterMs: fast }, two: { given: yes, afterMs: slow } }

  expect(await exchange.continue(showsForms, { ...relay, schemas }, came)).toEqual(done)
  expect(sent).toEqual([{ one: unseen, two: yes }])
  expect(reports).toEqual([['deploy', 'one', 'unseen']])
})

test('[FORM-19] an answer of the client reaches the server with the types of its schema', async () => {
  const list = { type: 'object', properties: { tags: { type: 'array', items: { type: 'string' } } } }
  const { exchange, sent } = await routed([asking({ one: form('One?', list) }, { schemas: { one: list } }), done])
  const first = await exchange.start(showsForms)
  const given = { result: { action: 'accept', content: { tags: 'a, b' } } }
  await exchange.continue(showsForms, stateIn(first), { one: { given, afterMs: slow } })

  expect(sent).toEqual([{ one: { result: { action: 'accept', content: { tags: ['a', 'b'] } } } }])
})

test('[ROUTE-6] the client gets the questions that it can show, each with a fallback, and its answers are sent with the inbox’s', async () => {
  const over = new Promise<void>(() => undefined)
  const wanted = { form: form('One?'), link, roots }
  const { exchange, firstAsk, answer, open, sent } = await routed([asking(wanted, {}, { over }), done])
  const first = (await exchange.start(showsForms)) as NeedsInput<never>

  expect(first.wanted).toEqual({ form: wanted.form, roots })
  expect(first.over).toBe(over)
  const state = stateIn(first)
  expect([Object.keys(state.inInbox), Object.keys(state.copies)]).toEqual([['link'], ['form']])
  expect(state).not.toHaveProperty('over')
  expect(state.untilMs).toEqual(expect.any(Number))

  const calling = exchange.continue(showsForms, state, {
    form: { given: no, afterMs: slow },
    roots: { given: { result: { roots: [] } }, afterMs: 0 },
    link: { given: yes, afterMs: slow },
    unknown: { given: yes, afterMs: slow },
  })
  expect(await open()).toHaveLength(1)
  await answer(await firstAsk(), { action: 'accept' })

  expect(await calling).toEqual(done)
  expect(sent).toEqual([{ form: no, roots: { result: { roots: [] } }, link: { result: { action: 'accept' } } }])
})

test('[ROUTE-6] the client is asked again for what it did not answer while the inbox asks the rest', async () => {
  const { exchange } = await routed([asking({ one: form('One?'), two: form('Two?') }), done])
  const state = stateIn(await exchange.start(showsForms))
  const next = await exchange.continue(showsForms, state, { one: { given: no, afterMs: slow } })

  expect(next).toMatchObject({ kind: 'input-required', wanted: { two: { message: 'Two?' } } })
  expect(stateIn(next).kept).toEqual({ one: no })
})

test('[ROUTE-2] an answer of the client that no person can have given moves the question to the inbox', async () => {
  const { exchange, firstAsk, answer, sent, reports, read } = await routed([
    asking({ one: form('One?') }, { round }),
    done,
  ])
  const first = await exchange.start(showsForms)
  const calling = exchange.continue(showsForms, stateIn(first), { one: { given: yes, afterMs: fast } })
  const id = await firstAsk()
  const fastAnswer = await until(async () => (await read(id))?.fastAnswer)
  expect(fastAnswer).toEqual({ action: 'accept', afterMs: fast })
  expect(reports).toEqual([['deploy', 'one', 'unseen']])
  expect(sent).toEqual([])
  await answer(id, { action: 'decline' })

  expect(await calling).toEqual(done)
  expect(sent).toEqual([{ one: no }])
})

test('[ROUTE-12] the same answer, sent again later, does not count and opens no second ask', async () => {
  const { exchange, open, sent, reports } = await routed([asking({ one: form('One?') }, { round })], {
    wait: { forMs: 20, canRetry: true },
  })
  const asked = { ...stateIn(await exchange.start(showsForms)), copies: {} }
  const first = await exchange.continue(showsForms, asked, { one: { given: yes, afterMs: fast } })
  const second = await exchange.continue(showsForms, asked, { one: { given: yes, afterMs: slow } })

  expect(stateIn(second).inInbox).toEqual(stateIn(first).inInbox)
  expect(await open()).toHaveLength(1)
  expect(sent).toEqual([])
  expect(reports).toHaveLength(1)
  // In a session the time is unknown, and each question is answered once.
  await exchange.continue(showsForms, asked, { one: { given: yes } })
  expect(sent).toEqual([{ one: yes }])
})

test('[ROUTE-12] only a question that was answered too fast has a fixed ask', async () => {
  const { exchange } = await routed([asking({ one: form('One?') }, { round })], { wait: { forMs: 5, canRetry: true } })
  const asked = { ...stateIn(await exchange.start(showsForms)), copies: {} }
  const fixed = unseenAskId(round, 'one')

  expect(stateIn(await exchange.continue(showsForms, asked, { one: {} })).inInbox.one).not.toBe(fixed)
  const moved = await exchange.continue(showsForms, asked, { one: { given: no, afterMs: fast } })
  expect(stateIn(moved).inInbox.one).toBe(fixed)
})

test('[RUN-11] a round that only the client answered is neither claimed nor looked up', async () => {
  const find = vi.fn(async () => done)
  const run = vi.fn(async () => done)
  const { exchange, sent } = await routed([asking({ one: form('One?') }, { round }), done], {
    wait: retry,
    claims: { find, run },
  })
  const state = stateIn(await exchange.start(showsForms))
  await exchange.continue(showsForms, state, { one: { given: no, afterMs: slow } })
  expect(sent).toEqual([{ one: no }])
  expect(run).not.toHaveBeenCalled()

  await exchange.continue(
    showsForms,
    { ...state, copies: {}, hasInboxAnswer: true },
    { one: { given: no, afterMs: slow } },
  )
  expect(run).toHaveBeenCalledOnce()
  expect(find).not.toHaveBeenCalled()
})

test('[ROUTE-12] an answer of the client whose time is unknown counts', async () => {
  const { exchange, sent, open } = await routed([asking({ one: form('One?') }, { round }), done])
  const state = { ...stateIn(await exchange.start(showsForms)), copies: {} }

  expect(await exchange.continue(showsForms, state, { one: { given: yes } })).toEqual(done)
  expect(sent).toEqual([{ one: yes }])
  expect(await open()).toEqual([])
})

test('[ROUTE-2] a question for which the client has no answer any more moves to the inbox, and nothing is reported', async () => {
  const { exchange, firstAsk, answer, sent, reports } = await routed([asking({ one: form('One?') }, { round }), done])
  const calling = exchange.continue(showsForms, stateIn(await exchange.start(showsForms)), { one: {} })
  await answer(await firstAsk())

  expect(await calling).toEqual(done)
  expect(sent).toEqual([{ one: yes }])
  expect(reports).toEqual([])
})

test('[ROUTE-10] after an answer in the inbox the client’s does not count, and the round is claimed', async () => {
  const run = vi.fn(async () => done)
  const { exchange, answer, firstAsk, sent } = await routed([asking({ one: form('One?') }, { round }), done], {
    settings: { silentAfterMs: 10 },
    wait: retry,
    claims: { run },
  })
  const state = stateIn(await exchange.start(showsForms))
  await answer(await firstAsk(), { action: 'decline' })

  expect(await exchange.continue(showsForms, state, { one: { given: yes, afterMs: slow } })).toEqual(done)
  expect(run).toHaveBeenCalledWith(
    { tenant: 'default', id: 'round', principal: 'ann' },
    expect.anything(),
    expect.any(Function),
  )
  expect(sent).toEqual([])
})

test('[ROUTE-7] the answer of a call that is cancelled is taken, and its fallback ends', async () => {
  const { exchange, sent, store, open } = await routed([asking(), done], { wait: { ...retry, canRetry: true } })
  const state = stateIn(await exchange.start(showsForms))
  const withdrawing = vi.spyOn(store.asks, 'withdraw')
  const cancelled = { ...showsForms, signal: AbortSignal.abort() }
  const there = { ...state, copies: { one: 'ask_elsewhere' } }
  await exchange.continue(cancelled, there, { one: { given: no, afterMs: slow } })

  expect(withdrawing).toHaveBeenCalledWith('default', 'ask_elsewhere', 'call-cancelled')
  expect(sent).toEqual([{ one: no }])
  expect(await open()).toEqual([])
})

test('[RUN-5] a round that was sent already raises no more asks: its result is returned', async () => {
  const find = vi.fn(async () => done)
  const { exchange, open } = await routed([asking({ one: form('One?') }, { round })], { claims: { find } })
  const state = { ...stateIn(await exchange.start(showsForms)), hasInboxAnswer: true }

  expect(await exchange.continue(showsForms, state, { one: { given: yes, afterMs: fast } })).toEqual(done)
  expect(await open()).toEqual([])
})

test('[RUN-5] while another request sends the round, the caller has to retry', async () => {
  const { exchange } = await routed([asking({ one: form('One?') }, { round })], {
    wait: retry,
    claims: { find: async () => 'running' },
  })
  const state = { ...stateIn(await exchange.start(showsForms)), hasInboxAnswer: true }

  expect(await exchange.continue(showsForms, state, { one: { given: yes, afterMs: fast } })).toEqual({
    kind: 'input-required',
    wanted: {},
    state: { ...state, waits: 1 },
  })
})

test('[POLICY-38] while another request runs an approved call, a caller that has nothing to fetch it with gets an error', async () => {
  const { exchange } = await routed([asking({ one: form('One?') }, { round })], {
    claims: { find: async () => 'running' },
  })
  const state = { ...stateIn(await exchange.start(showsForms)), hasInboxAnswer: true }

  expect(await exchange.continue(showsForms, state, { one: { given: yes, afterMs: fast } })).toMatchObject({
    kind: 'failed',
    isElsewhere: true,
  })
})

test('[RUN-5] a request that cannot wait for the one that sends the round has to retry', async () => {
  const { exchange, firstAsk, answer } = await routed([asking({ one: form('One?') }, { round })], {
    wait: retry,
    claims: { run: async () => 'running' },
  })
  const calling = exchange.start(callOf())
  await answer(await firstAsk())

  expect(await calling).toMatchObject({ kind: 'input-required', wanted: {}, state: { waits: 1 } })
})

test('[ROUTE-5] a caller that waits for the inbox has to retry before its time is up', async () => {
  const { exchange, open } = await routed([asking()], { wait: { forMs: 20, canRetry: true } })
  const first = await exchange.start(callOf())
  expect(first).toMatchObject({ kind: 'input-required', wanted: {}, state: { waits: 1 } })
  expect(first).not.toHaveProperty('over')
  const second = await exchange.continue(callOf(), stateIn(first), {})

  expect(second).toMatchObject({ wanted: {}, state: { waits: 2, inInbox: stateIn(first).inInbox } })
  expect(await open()).toHaveLength(1)
})

test('[RELAY-2] a server may ask again, and its asks that have ended are tracked no longer', async () => {
  const ended = vi.fn()
  const waiting = { replicaFor: async () => undefined, raised: () => undefined, ended, handOut: async () => undefined }
  const { exchange, firstAsk, answer, sent } = await routed([asking(), asking({ two: form('Two?') }), done])
  const calling = exchange.start(callOf({ waiting: waiting as never }))
  const ids = [await firstAsk()]
  await answer(ids[0])
  ids.push(await firstAsk())
  await answer(ids[1], { action: 'decline' })

  expect(await calling).toEqual(done)
  expect(sent).toEqual([{ one: yes }, { two: no }])
  expect(ended.mock.calls).toEqual(ids.map((id) => [[id]]))
})

const ghp = `ghp_${'a1B2'.repeat(9)}`
const text = form('Which?', { type: 'object', properties: { region: { type: 'string' } }, required: ['region'] })

test.each([
  ['is deleted once it reached the server', done, true],
  ['stays stored if nothing was sent', unsent(-1, 'The server is not running.'), false],
] as const)('[REPLY-8] a confirmed secret %s', async (_what, outcome, isDeleted) => {
  const { exchange, firstAsk, answer, read } = await routed([asking({ one: text }), outcome], { wait: patient })
  const calling = exchange.start(callOf())
  const id = await firstAsk()
  await answer(id, { action: 'accept', content: { region: ghp } })

  expect(await calling).toEqual(outcome)
  expect((await read(id))?.state).toMatchObject({ kind: 'settled' })
  expect(Object.hasOwn((await read(id))?.state ?? {}, 'deleted')).toBe(isDeleted)
})

test('[VOTE-7] a secret that the client answered after the inbox asked too is deleted once it reached the server', async () => {
  const allowing = vi.spyOn(OpenAskLimits.prototype, 'allowsSecrets').mockReturnValue(true)
  const { exchange, firstAsk, read, sent, below } = await routed([asking({ one: text }), done], {
    settings: { silentAfterMs: 10 },
  })
  const state = stateIn(await exchange.start(showsForms))
  const id = await firstAsk()
  const given = { result: { action: 'accept', content: { region: ghp } } }
  const came = { one: { given, afterMs: slow } }
  vi.spyOn(below, 'continue').mockRejectedValueOnce(new Error('The connection broke.'))
  await expect(exchange.continue(showsForms, state, came)).rejects.toThrow('broke')

  expect(await exchange.continue(showsForms, state, came)).toEqual(done)
  expect(sent).toMatchObject([{ one: given }])
  expect((await read(id))?.state).toMatchObject({ kind: 'settled', deleted: expect.anything() })
  allowing.mockRestore()
})
