import { expect, test, vi } from 'vitest'
import type { RelayState } from '../call-state.ts'
import { type Answers, type Outcome, unsent, withoutAskIds } from '../model.ts'
import { callOf } from '../route/sample-rounds.suite.ts'
import { done, openReplica, tenant, unavailable } from './sample-calls.suite.ts'
import { settleAndSend, settleAsks } from './settle-asks.ts'

const accept = { result: { action: 'accept', content: {} } }
const count = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] }
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }
const key = `ghp_${'a1B2'.repeat(9)}`

test('[RELAY-7] an answer of the client settles its ask, in the name of the caller', async () => {
  const { store, raise, ask } = await openReplica()
  const id = await raise()

  const recorded = await settleAsks(store, callOf(), new Map([['one', id]]), { one: accept }, true)

  expect(recorded).toEqual({ one: accept })
  expect(await ask(id)).toMatchObject({ kind: 'settled', by: 'ann', via: 'client', answer: { action: 'accept' } })
})

test('[RELAY-7] a response to a request that no person answers has no ask and passes', async () => {
  const { store } = await openReplica()
  const given = { roots: { result: { roots: [] } } }

  expect(await settleAsks(store, callOf(), new Map(), given, true)).toEqual(given)
})

test('[RELAY-7] an error of the client cancels the ask, and the server gets the error', async () => {
  const { store, raise, ask } = await openReplica()
  const id = await raise()
  const error = { error: { code: -1, message: 'The client cannot show it.' } }

  expect(await settleAsks(store, callOf(), new Map([['one', id]]), { one: error }, true)).toEqual({ one: error })
  expect(await ask(id)).toMatchObject({ kind: 'settled', answer: { action: 'cancel' } })
})

test('[ROUTE-10] an earlier answer from the inbox counts instead of the one from the client', async () => {
  const { store, raise, answer } = await openReplica()
  const id = await raise()
  await answer(id, { action: 'decline' })

  const recorded = await settleAsks(store, callOf(), new Map([['one', id]]), { one: accept }, true)

  expect(recorded).toEqual({ one: { result: { action: 'decline' } } })
})

test('[ROUTE-4] an answer from another person, or in another tenant, does not count and is not sent', async () => {
  const { store, raise, ask } = await openReplica()
  const id = await raise()
  const asks = new Map([['one', id]])

  expect(await settleAsks(store, callOf({ principal: 'bob' }), asks, { one: accept }, true)).toEqual({})
  expect(await settleAsks(store, callOf({ tenant: 'other' }), asks, { one: accept }, true)).toEqual({})
  expect(await ask(id)).toMatchObject({ kind: 'open' })
})

test('[RELAY-5] an answer that does not fit the form becomes a cancel with the reason', async () => {
  const { store, raise, ask } = await openReplica()
  const id = await raise('How many?', count)
  const given = { one: { result: { action: 'accept', content: { count: 'many' } } } }

  const recorded = await settleAsks(store, callOf(), new Map([['one', id]]), given, true)

  const _meta = { 'assent/no-answer': 'malformed', 'assent/reason': expect.stringMatching(/^count: /) }
  expect(recorded).toEqual({ one: { result: { action: 'cancel', _meta }, isUnfit: true } })
  expect(await ask(id)).toMatchObject({ kind: 'settled', by: 'ann', answer: { action: 'cancel' } })
})

test('[RELAY-5] an answer with an unknown action becomes a cancel with the reason', async () => {
  const { store, raise, ask } = await openReplica()
  const id = await raise()

  const recorded = await settleAsks(
    store,
    callOf(),
    new Map([['one', id]]),
    { one: { result: { action: 'ok' } } },
    true,
  )

  const _meta = { 'assent/no-answer': 'malformed', 'assent/reason': expect.stringMatching(/\w/) }
  expect(recorded).toEqual({ one: { result: { action: 'cancel', _meta }, isUnfit: true } })
  expect(await ask(id)).toMatchObject({ kind: 'settled', answer: { action: 'cancel' } })
})

test('[VOTE-6] an answer that looks like a secret is refused, and its ask is cancelled', async () => {
  const { store, raise, ask } = await openReplica()
  const id = await raise('Which text?', text)
  const given = { one: { result: { action: 'accept', content: { text: key } } } }

  const recorded = await settleAsks(store, callOf(), new Map([['one', id]]), given, true)

  expect(recorded).toMatchObject({ one: { error: { data: { reason: 'secret-answer' } } } })
  expect(JSON.stringify(recorded)).not.toContain(key)
  expect(await ask(id)).toMatchObject({ kind: 'settled', answer: { action: 'cancel' } })
})

/** Two questions of a call, and the client's answers: the first one is a secret. */
async function withSecret() {
  const replica = await openReplica()
  const [secret, plain] = [await replica.raise('Which text?', text), await replica.raise('Which other text?', text)]
  const given = {
    one: { result: { action: 'accept', content: { text: key } } },
    two: { result: { action: 'accept', content: { text: 'plain' } } },
  }
  const asks = new Map([
    ['one', secret],
    ['two', plain],
  ])
  const delivering = { store: replica.store, tenant, asks, onError: replica.onError }
  const sent: Answers[] = []
  const send = (outcome: Outcome<RelayState> = done) =>
    settleAndSend(
      delivering,
      callOf(),
      given,
      false,
      async () => true,
      async (answers) => {
        sent.push(withoutAskIds(answers))
        return outcome
      },
    )
  return { ...replica, secret, plain, given, sent, send, deleting: vi.spyOn(replica.store.asks, 'deleteSecret') }
}

test('[VOTE-7] an allowed answer that looks like a secret is sent, and then the store does not keep it', async () => {
  const { store, ask, secret, plain, given, sent, send, deleting } = await withSecret()

  expect(await send()).toEqual(done)

  expect(sent).toMatchObject([given])
  expect(deleting.mock.calls).toEqual([[tenant, secret]])
  expect(await ask(secret)).toMatchObject({ kind: 'settled', deleted: expect.anything() })
  expect(JSON.stringify(await store.asks.read(tenant, secret))).not.toContain(key)
  expect(await ask(plain)).toMatchObject({ answer: { content: { text: 'plain' } } })
})

test('[VOTE-7] a secret is sent with a retry if another answer could not be stored, and then deleted', async () => {
  const { store, ask, secret, given, sent, send } = await withSecret()
  const answer = store.asks.answer.bind(store.asks)
  const answering = vi.spyOn(store.asks, 'answer').mockImplementation((request) => {
    return request.id === secret ? answer(request) : unavailable()
  })
  await expect(send()).rejects.toThrow('unavailable')
  answering.mockRestore()

  await send()

  expect(sent).toMatchObject([given])
  expect(await ask(secret)).toMatchObject({ kind: 'settled', deleted: expect.anything() })
})

test('[VOTE-7] a secret of which nothing was sent stays stored for a retry', async () => {
  const { given, sent, send, deleting } = await withSecret()
  await send(unsent(0, 'Connection refused.'))
  expect(deleting).not.toHaveBeenCalled()

  await send()

  expect(sent).toMatchObject([given, given])
  expect(deleting).toHaveBeenCalledOnce()
})

test('[VOTE-7] a secret that cannot be deleted is reported, and the outcome is returned', async () => {
  const { errors, send, deleting } = await withSecret()
  deleting.mockImplementation(unavailable)

  expect(await send()).toEqual(done)
  expect(errors).toMatchObject([{ code: 'store_unavailable' }])
})
