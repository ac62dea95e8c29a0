import { randomBytes } from 'node:crypto'
import {
  type Ask,
  type AskDraft,
  answerMeta,
  askLimits,
  askMeta,
  type JsonObject,
  newId,
  soleApprover,
} from '@assent/core'
import type { Store } from '@assent/store'
import { expect, test } from 'vitest'
import { candidateCalls } from '../candidate-calls.ts'
import type { InputRequest } from '../model.ts'
import { expired, lostAnswer, noAnswer, secretDeleted, unverified } from '../screen/screen-questions.ts'
import { type AskedCall, answerOf, givenOf, type Raising, raiseAsk, storedAnswer } from './inbox-asks.ts'
import { callOf, form, openRounds } from './sample-rounds.suite.ts'

const raising: Raising = { server: 'deploy', waitMs: 60_000 }
const plain = { type: 'object', properties: { region: { type: 'string' } } }
const link = {
  kind: 'url',
  message: 'Open it.',
  url: 'https://example.com',
  params: {},
} as const satisfies InputRequest
const metadata = { _meta: askMeta({ waitMs: 5_000 }) }

/** The draft that is stored for this question. */
async function draftOf(wanted: InputRequest, call: AskedCall = callOf(), more: Partial<Raising> = {}) {
  const stored: { draft: AskDraft; limits: unknown; replica: unknown }[] = []
  const store = {
    asks: {
      raise: async (draft: AskDraft, limits: unknown, replica: unknown) => void stored.push({ draft, limits, replica }),
    },
  } as unknown as Store
  const id = await raiseAsk(store, call, wanted, { ...raising, ...more })
  const [{ draft, limits, replica } = {}] = stored
  return { id, draft: draft as AskDraft, limits, replica }
}

async function questionOf(wanted: InputRequest, params?: JsonObject, method = 'tools/call') {
  const { draft } = await draftOf(wanted, callOf({ method, ...(params === undefined ? {} : { params }) }))
  return draft.question
}

test('[ROUTE-4] an ask names its server, its tool and its person, who alone may answer it', async () => {
  const { id, draft, limits, replica } = await draftOf(form('One?'))

  expect(draft).toStrictEqual({
    tenant: 'default',
    id,
    asker: { server: 'deploy', tool: 'deploy' },
    principal: 'ann',
    question: {
      kind: 'form',
      message: 'One?',
      form: { fields: [] },
      call: { tool: 'deploy', arguments: { env: 'prod' } },
    },
    approvalRule: soleApprover('ann'),
    decideWithinMs: 60_000,
    useWithinMs: 60_000,
  })
  expect(id).toMatch(/^ask_/)
  expect([limits, replica]).toEqual([undefined, undefined])
})

test('[FLEET-8] an ask is stored under its assigned id and call, within the limits, and then counted in its round', async () => {
  const counted: unknown[] = []
  const all = { perCaller: 1, perServer: 1, perTenant: 1, total: 1 }
  const room = { limits: all, onRecord: (...one: unknown[]) => void counted.push(one) }
  const round = { id: 'round', atMs: 1 }

  const { id, draft, limits } = await draftOf(form('One?'), callOf(), { id: 'ask_1', callId: 'call_1', room, round })

  expect([id, draft.id, draft.callId]).toEqual(['ask_1', 'ask_1', 'call_1'])
  expect(limits).toBe(all)
  expect(counted).toEqual([[round, 'ask_1']])
})

test('[RUN-13] an ask that a request waits for names its replica, and the request tracks it', async () => {
  const tracked: unknown[] = []
  const waiting = (replica: string | undefined) =>
    ({
      replicaFor: async (callId: string | undefined) => {
        tracked.push(`for ${callId}`)
        return replica
      },
      raised: (id: string) => tracked.push(id),
    }) as unknown as NonNullable<AskedCall['waiting']>

  const named = await draftOf(form('One?'), callOf({ waiting: waiting('here') }), { id: 'ask_1' })
  const unnamed = await draftOf(form('One?'), callOf({ waiting: waiting(undefined) }), { callId: 'call_1' })

  expect([named.replica, unnamed.replica]).toEqual(['here', undefined])
  expect(tracked).toEqual(['for undefined', 'ask_1', 'for call_1'])
})

test.each<[string, InputRequest]>([
  ['sampling', { kind: 'sampling', params: {} }],
  ['roots', { kind: 'roots', params: {} }],
  ['a form that cannot be read', form('One?', { type: 'nonsense' })],
])('[ROUTE-1] no ask is raised for %s', async (_what, wanted) => {
  const { id, draft } = await draftOf(wanted)
  expect([id, draft]).toEqual([undefined, undefined])
})

test('[ROUTE-4] text that is not well-formed Unicode is stored as well-formed text', async () => {
  expect(await questionOf(form('One\uD800?'))).toMatchObject({ message: 'One\uFFFD?' })
  expect(await questionOf({ ...link, message: 'One\uD800?' })).toMatchObject({ message: 'One\uFFFD?' })
  expect(await questionOf(link, { name: 'wipe\uD800' })).toMatchObject({ call: { tool: 'wipe\uFFFD' } })
})

test('[POINT-15] what Assent checked itself is stored with the question, and only then', async () => {
  const checked: InputRequest = { ...form('One?'), checked: 'Tests passed.' } as InputRequest
  expect(await questionOf(checked)).toHaveProperty('checked', 'Tests passed.')
  expect(await questionOf(form('One?'))).not.toHaveProperty('checked')
})

test('[REPLY-7] a comment reaches only an asker that sent our metadata', async () => {
  expect((await draftOf({ ...link, params: metadata })).draft.commentReaches).toBe('asker')
  expect((await draftOf(link)).draft).not.toHaveProperty('commentReaches')
})

test('[WAIT-8] only the ask of a held call whose server sent no timeout says that its timeout is unknown', async () => {
  expect((await draftOf(link, callOf(), { isHeld: true })).draft.isWaitUnknown).toBe(true)
  expect((await draftOf(link, callOf(), { isHeld: false })).draft).not.toHaveProperty('isWaitUnknown')
  expect((await draftOf({ ...link, params: metadata }, callOf(), { isHeld: true })).draft).not.toHaveProperty(
    'isWaitUnknown',
  )
  const withoutTimeout = { ...link, params: { _meta: askMeta({}) } }
  expect((await draftOf(withoutTimeout, callOf(), { isHeld: true })).draft.isWaitUnknown).toBe(true)
})

test('[WAIT-4] a person has at least a second', async () => {
  const { draft } = await draftOf(link, callOf(), { waitMs: 5 })
  expect([draft.decideWithinMs, draft.useWithinMs]).toEqual([1_000, 5])
})

const called = { name: 'wipe', arguments: { disk: 1 } }
test.each([
  ['tools/call', called, { tool: 'wipe', arguments: { disk: 1 } }],
  ['tools/call', { name: 'wipe' }, { tool: 'wipe', arguments: {} }],
  ['tools/call', { arguments: {} }, undefined],
  ['prompts/get', called, { kind: 'prompt', tool: 'wipe', arguments: { disk: 1 } }],
  [
    'resources/read',
    { uri: 'file:///a', name: 'wipe', arguments: { disk: 1 } },
    { kind: 'resource', tool: 'file:///a', arguments: {} },
  ],
  ['completion/complete', called, undefined],
])('[CARD-5] a card shows the call in which the server asks: %s %j', async (method, params, expected) => {
  for (const wanted of [form('One?'), link]) {
    const question = await questionOf(wanted, params as JsonObject, method)
    if (expected === undefined) expect(question).not.toHaveProperty('call')
    else expect(question).toHaveProperty('call', expected)
  }
})

/** Arguments whose canonical JSON, `{"a":"…"}`, has this many bytes. */
const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - 8) })

test.each<[string, InputRequest, number]>([
  ['an approval', form('One?'), askLimits.callBytes],
  ['a form', form('One?', plain), askLimits.formCallBytes],
  ['a link', link, askLimits.formCallBytes],
])('[CARD-5] arguments that cannot be shown completely are left out of %s', async (_what, wanted, bytes) => {
  const largest = { name: 'wipe', arguments: sized(bytes) }
  expect(await questionOf(wanted, largest)).toHaveProperty('call', { tool: 'wipe', arguments: largest.arguments })
  expect(await questionOf(wanted, { name: 'wipe', arguments: sized(bytes + 1) })).toHaveProperty('call', {
    tool: 'wipe',
  })
})

test('[CARD-5] arguments that are nested too deeply are left out', async () => {
  const nested = (depth: number): JsonObject => (depth === 1 ? {} : { a: nested(depth - 1) })
  expect(await questionOf(link, { name: 'wipe', arguments: nested(askLimits.callDepth) })).toHaveProperty(
    'call.arguments',
  )
  expect(await questionOf(link, { name: 'wipe', arguments: nested(askLimits.callDepth + 2) })).toHaveProperty('call', {
    tool: 'wipe',
  })
})

test('[CARD-5] a question that fits only without the arguments, or without the call, is stored so', async () => {
  const long = (chars: number) => form('x'.repeat(chars), plain)
  const params = { name: 'wipe', arguments: sized(30_000) }
  expect(await questionOf(long(250_000), params)).toHaveProperty('call', { tool: 'wipe' })
  expect(await questionOf(long(262_144), params)).not.toHaveProperty('call')
})

const shared = (...oneOf: readonly JsonObject[]): InputRequest => ({
  ...link,
  shared: { isOpen: true, oneOf: candidateCalls(oneOf.map((params) => ({ method: 'tools/call', params }))) },
})

test('[SHARE-3] a question that may belong to several calls shows all of them and names no tool', async () => {
  const { draft } = await draftOf(shared({ name: 'one', arguments: { a: 1 } }, {}, { name: 'two' }))

  expect(draft.asker).toStrictEqual({ server: 'deploy' })
  expect(draft.question).not.toHaveProperty('call')
  expect(draft.question).toHaveProperty('oneOf', [
    { tool: 'one', arguments: { a: 1 } },
    { tool: 'two', arguments: {} },
  ])
})

test('[SHARE-3] the calls share the room for arguments, and the newest are shown', async () => {
  const half = askLimits.formCallBytes / 2
  const [fits, tooLarge] = [
    { name: 'fits', arguments: sized(half) },
    { name: 'large', arguments: sized(half + 1) },
  ]
  expect(await questionOf(shared(fits, tooLarge))).toHaveProperty('oneOf', [
    { tool: 'fits', arguments: fits.arguments },
    { tool: 'large' },
  ])

  const many = Array.from({ length: askLimits.oneOf + 1 }, (_, at) => ({ name: `tool-${at}` }))
  const question = await questionOf(shared(...many))
  const names = 'oneOf' in question ? question.oneOf?.map(({ tool }) => tool) : undefined
  expect(names).toEqual(many.slice(1).map(({ name }) => name))
})

test('[SHARE-3] calls that do not fit with the question are left out', async () => {
  const long = (chars: number) => ({
    ...shared({ name: 'wipe', arguments: sized(30_000) }),
    message: 'x'.repeat(chars),
  })
  expect(await questionOf(long(250_000))).toHaveProperty('oneOf', [{ tool: 'wipe' }])
  expect(await questionOf(long(262_144))).toHaveProperty('oneOf', [])
  expect(await questionOf(shared())).toHaveProperty('oneOf', [])
})

/** A page for a secret that belongs to Ann. */
async function openPage() {
  const rounds = await openRounds()
  const page = { tenant: 'default', id: 'secret_1', server: 'deploy', publicKey: 'key' }
  const limits = { decideWithinMs: 60_000, keepMs: 60_000, perServer: 9, inAll: 9 }
  await rounds.store.secrets.open({ ...page, ...limits })
  await rounds.store.secrets.bind(page, 'ann')
  const secret = { page: page.id, publicKey: 'key', leftMs: 20_000 }
  const wanted: InputRequest = { ...link, params: metadata, secret }
  return { ...rounds, wanted, secret }
}

test('[SECRET-2] a page for a secret has one ask, for as long as the page is usable and without a comment', async () => {
  const { store, wanted, read, open } = await openPage()

  const id = await raiseAsk(store, callOf(), wanted, raising)
  const again = await raiseAsk(store, callOf(), wanted, raising)

  expect(again).toBe(id)
  expect(await store.secrets.askOf('default', 'secret_1')).toBe(id)
  expect(await open()).toHaveLength(1)
  const ask = (await read(id)) as Ask
  expect(ask.question).toMatchObject({ secret: { page: 'secret_1', publicKey: 'key' }, call: { tool: 'deploy' } })
  expect(ask).not.toHaveProperty('commentReaches')
  expect(ask.decideByMs - ask.raisedAtMs).toBe(20_000)
})

test('[SECRET-2] the second of two asks that are raised at once is withdrawn', async () => {
  const { store, wanted, read } = await openPage()
  const ids = [newId('ask', 1, randomBytes), newId('ask', 2, randomBytes)]
  const [one, two] = await Promise.all(ids.map((id) => raiseAsk(store, callOf(), wanted, { ...raising, id })))

  expect(one).toBe(two)
  const states = await Promise.all(ids.map(async (id) => (await read(id))?.state))
  expect(states).toContainEqual({ kind: 'open' })
  expect(states).toContainEqual(expect.objectContaining({ kind: 'withdrawn', reason: 'undeliverable' }))
})

test('[SECRET-2] a page that already has an ask gets no second one; one without a page keeps its own', async () => {
  const { wanted, secret } = await openPage()
  const linked = await draftOf({ ...wanted, secret: { ...secret, askId: 'ask_9' } } as InputRequest)
  expect([linked.id, linked.draft]).toEqual(['ask_9', undefined])

  const { store, open } = await openRounds()
  const id = await raiseAsk(store, callOf(), wanted, raising)
  expect(id).toMatch(/^ask_/)
  expect(await open()).toEqual([])
})

const askIn = (state: object, more: object = {}) => ({ state, question: { kind: 'form' }, ...more }) as unknown as Ask
const settled = (answer: object, more: object = {}) => ({ kind: 'settled', answer, via: 'inbox', ...more })

test.each([
  ['expired', { kind: 'expired' }, expired],
  ['changed in the store', { kind: 'withdrawn', reason: 'unverified' }, unverified],
  ['lost with its replica', { kind: 'withdrawn', reason: 'owner-lost' }, lostAnswer],
  ['lost with the database', { kind: 'withdrawn', reason: 'store-unavailable' }, lostAnswer],
  ['withdrawn', { kind: 'withdrawn', reason: 'caller-gone' }, noAnswer],
  ['still open', { kind: 'open' }, noAnswer],
  ['answered with a secret that is deleted', settled({ action: 'accept' }, { deleted: {} }), secretDeleted],
])('[ROUTE-3] an ask that is %s gives the server no answer of a person', (_what, state, expected) => {
  expect(givenOf(askIn(state))).toBe(expected)
})

test('[ROUTE-3] an accept carries its content, and any other answer carries none', () => {
  const content = { region: 'eu' }
  expect(givenOf(askIn(settled({ action: 'accept', content })))).toEqual({ result: { action: 'accept', content } })
  expect(givenOf(askIn(settled({ action: 'accept' })))).toStrictEqual({ result: { action: 'accept' } })
  expect(givenOf(askIn(settled({ action: 'decline', content })))).toEqual({ result: { action: 'decline' } })
})

test('[REPLY-9] a comment reaches the server only if it accepts comments', () => {
  const state = settled({ action: 'decline', comment: 'Not today.' })
  const _meta = answerMeta({ comment: 'Not today.' })
  expect(givenOf(askIn(state, { commentReaches: 'asker' }))).toEqual({ result: { action: 'decline', _meta } })
  expect(givenOf(askIn(state))).toEqual({ result: { action: 'decline' } })
  expect(givenOf(askIn(settled({ action: 'decline' }), { commentReaches: 'asker' }))).toEqual({
    result: { action: 'decline' },
  })
})

test('[REPLY-8] an answer that looks like a secret is confirmed only where the person confirmed it: not in the client', () => {
  const answer = { action: 'accept' }
  expect(givenOf(askIn(settled(answer, { isSecret: true })))).toEqual({ result: answer, isConfirmed: true })
  const inClient = askIn(settled(answer, { isSecret: true, via: 'client' }))
  expect(givenOf(inClient)).toEqual({ result: answer, isSecret: true })
  expect(givenOf(askIn(settled(answer)))).toEqual({ result: answer })
})

test('[VOTE-7] a client’s answer that the store keeps as a secret is marked, until the store has deleted it', () => {
  const given = { result: { action: 'accept' } }
  const error = { error: { code: 1, message: '' } }
  const secret = askIn(settled({}, { isSecret: true }))
  expect(storedAnswer(given, secret)).toEqual({ ...given, isSecret: true })
  expect(storedAnswer(error, secret)).toEqual(error)
  expect(storedAnswer(given, askIn(settled({}, { isSecret: true, deleted: {} })))).toEqual(given)
  expect(storedAnswer(given, askIn(settled({})))).toEqual(given)
})

test('[REPLY-2] a client’s answer is stored with its action, content and comment, and nothing else', () => {
  const content = { region: 'eu' }
  expect(answerOf({ action: 'accept', content, extra: 1 })).toEqual({ action: 'accept', content })
  expect(answerOf({})).toStrictEqual({ action: null })
  expect(answerOf({ action: 'accept', content: 'eu', comment: 7 })).toEqual({ action: 'accept' })
  expect(answerOf({ action: 'decline', _meta: answerMeta({ comment: 'No.' }) })).toEqual({
    action: 'decline',
    comment: 'No.',
  })
})
