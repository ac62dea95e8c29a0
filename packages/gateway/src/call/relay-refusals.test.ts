// Calls and questions that the relay stops: with scripted servers below it, and a real store for the audit trail.

import type { JsonObject } from '@assent/core'
import { TooManyOpen } from '@assent/core'
import { expect, onTestFinished, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openTestStore } from '../../../../test-kit/store/open.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { errorCodes } from '../protocol/messages.ts'
import { AuditTrail } from './audit-trail.ts'
import type { RelayState } from './call-state.ts'
import { type Answers, type Call, failed, type NeedsInput, NotSent, type Outcome, type Upstream } from './model.ts'
import { checkServerNames } from './names.ts'
import { Naming, type NamingRules } from './naming.ts'
import { Relay } from './relay.ts'
import { callOf, form, settings } from './route/sample-rounds.suite.ts'
import { OpenAskLimits } from './screen/open-limits.ts'
import type { LinkScreen } from './screen/screen-links.ts'

const done: Outcome = { kind: 'finished', result: { content: [] } }
const password = { type: 'object', properties: { password: { type: 'string' } } }
const asksSecret = (more: object = {}): Outcome => ({
  kind: 'input-required',
  wanted: { q: form('Which?', password) },
  state: { held: 'call_1' },
  ...more,
})
const stateOf = (more: Partial<RelayState> = {}): RelayState => ({
  server: 'ark',
  inner: null,
  schemas: { q: { type: 'object', properties: {} } },
  isPrefixed: false,
  ...more,
})
const decline: Answers = { q: { result: { action: 'decline' } } }

interface Script {
  readonly rules?: Readonly<Record<string, NamingRules>>
  readonly find?: (name: string) => Promise<Upstream>
  readonly links?: LinkScreen
}

/** A relay above servers that reply like this, with what reached them. */
async function aRelay(
  reply: (call: Call, server: string, given?: Answers) => Outcome | Promise<Outcome>,
  { rules = { ark: {} }, find, links }: Script = {},
) {
  const { store, close } = await openTestStore()
  closeAfterTest(close)
  const trail = new AuditTrail(
    store.audit,
    () => store.nowMs(),
    () => undefined,
  )
  closeAfterTest(() => trail.close())
  const sent: { how: 'start' | 'continue'; server: string; call: Call; given?: Answers }[] = []
  const serverOf = (name: string): Upstream => ({
    name,
    start: async (call) => {
      sent.push({ how: 'start', server: name, call })
      return reply(call, name)
    },
    continue: async (call, _state, given) => {
      sent.push({ how: 'continue', server: name, call, given })
      return reply(call, name, given)
    },
    describe: async () => ({ capabilities: {}, info: { name } }),
    listen: async () => undefined,
    leave: () => undefined,
    close: async () => undefined,
  })
  const refused: string[] = []
  const asking = new OpenAskLimits({ isEnabled: true, askWaitMs: settings.askWaitMs })
  const naming = new Naming(rules)
  const onRefused = (_call: Call, server: string, why: string) => void refused.push(`${server} ${why}`)
  const names = Object.keys(rules)
  const found = find ?? (async (name: string) => serverOf(name))
  return { relay: new Relay(names, found, trail, asking, links, onRefused, naming), sent, refused, naming }
}

test('[RELAY-4] a server that waits gets an error for a refused question, and is stopped if it keeps asking', async () => {
  onTestFinished(setLimits(relayLimits, { roundsPerCall: 3 }))
  const over = new Promise<void>(() => undefined)
  const { relay, sent, refused } = await aRelay((call) => (call.signal.aborted ? done : asksSecret({ over })))

  expect(await relay.start(callOf())).toMatchObject({
    kind: 'failed',
    error: { message: 'ark kept asking questions that are not allowed.' },
  })
  expect(refused).toEqual(['ark secret', 'ark secret', 'ark secret'])
  expect(sent.map(({ how, call }) => `${how} ${call.signal.aborted}`)).toEqual([
    'start false',
    'continue false',
    'continue false',
    'continue false',
    // The call that the server still holds is ended.
    'continue true',
  ])
})

test('[RELAY-4] a server that ends the call in its last round is not continued again', async () => {
  onTestFinished(setLimits(relayLimits, { roundsPerCall: 1 }))
  const over = new Promise<void>(() => undefined)
  const { relay, sent } = await aRelay((_call, _server, given) => (given === undefined ? asksSecret({ over }) : done))

  expect(await relay.start(callOf())).toMatchObject({ kind: 'failed' })
  expect(sent).toHaveLength(2)
})

test('[RELAY-4] a link that may not be shown is refused, and its question is not asked', async () => {
  const wanted = { q: { kind: 'url', message: 'Look.', url: 'https://example.com/', params: {} } } as const
  const asks: Outcome = { kind: 'input-required', wanted, state: null }
  const judging = (refusals: Readonly<Record<string, string>>): LinkScreen => ({
    judge: async (_call, _server, asked) => ({ wanted: asked, refused: refusals }),
  })
  const refusing = await aRelay(() => asks, { links: judging({ q: 'This page belongs to another call.' }) })
  const allowing = await aRelay(() => asks, { links: judging({}) })

  expect(await refusing.relay.start(callOf())).toMatchObject({
    error: { message: expect.stringContaining('This page belongs to another call.') },
  })
  expect(refusing.refused).toEqual(['ark link'])
  expect(await allowing.relay.start(callOf())).toMatchObject({ kind: 'input-required' })
})

test('[RELAY-4] a refused form is refused before its links are screened', async () => {
  const links: LinkScreen = { judge: () => Promise.reject(new Error('not expected')) }
  const { relay, refused } = await aRelay(() => asksSecret({ state: null }), { links })

  expect(await relay.start(callOf())).toMatchObject({ kind: 'failed' })
  expect(refused).toEqual(['ark secret'])
})

const storeError = new Error('the store failed')
const failingLinks: LinkScreen = { judge: () => Promise.reject(storeError) }
const asksHeld: Outcome = {
  kind: 'input-required',
  wanted: { q: { kind: 'url', message: 'Look.', url: 'https://example.com/', params: {} } },
  state: { held: 'call_1' },
  over: new Promise<void>(() => undefined),
}

test('[RELAY-19] if the store fails while a link is screened, a started call that the server holds is cancelled', async () => {
  const { relay, sent } = await aRelay((call) => (call.signal.aborted ? done : asksHeld), { links: failingLinks })

  await expect(relay.start(callOf())).rejects.toBe(storeError)
  expect(sent.map(({ how, call }) => `${how} ${call.signal.aborted}`)).toEqual(['start false', 'continue true'])
})

test('[RELAY-19] if the store fails while a link of a later round is screened, the call is cancelled and fails', async () => {
  const unused: Outcome = { ...asksHeld, undelivered: ['q'] }
  const { relay, sent } = await aRelay((call) => (call.signal.aborted ? done : unused), { links: failingLinks })

  expect(await relay.continue(callOf(), stateOf({ inner: { held: 'call_1' } }), decline)).toMatchObject({
    kind: 'failed',
    undelivered: ['q'],
  })
  expect(sent.map(({ how, call }) => `${how} ${call.signal.aborted}`)).toEqual(['continue false', 'continue true'])
})

test('[RELAY-19] if the store fails while a link is screened, a server that does not wait gets nothing more', async () => {
  const { over: _over, ...asks } = asksHeld as NeedsInput
  const { relay, sent } = await aRelay(() => ({ ...asks, state: null }), { links: failingLinks })

  await expect(relay.start(callOf())).rejects.toBe(storeError)
  expect(sent.map(({ how }) => how)).toEqual(['start'])
})

test('[RELAY-19] the error of the store is reported although the call cannot be cancelled', async () => {
  const reply = (call: Call) => (call.signal.aborted ? Promise.reject(new Error('gone')) : asksHeld)
  const { relay } = await aRelay(reply, { links: failingLinks })

  await expect(relay.start(callOf())).rejects.toBe(storeError)
})

test('[PROG-13] over a limit, a server that waits gets the error for each question; otherwise the call ends', async () => {
  const { relay, sent, refused } = await aRelay(() => done)
  const full = new TooManyOpen('caller', { perCaller: 1, perServer: 1, perTenant: 1, total: 1 }, 'ark')
  const schemas = { q: { type: 'object' }, roots: false }

  expect(await relay.refuse(callOf(), stateOf({ schemas }), full)).toEqual(failed(errorCodes.refused, full.message))
  expect(sent).toEqual([])
  expect(await relay.refuse(callOf(), stateOf({ schemas, inner: { held: 'call_1' } }), full)).toEqual(done)
  expect(sent[0]?.given).toMatchObject({ q: { error: { message: full.message } }, roots: { error: {} } })
  expect(refused).toEqual(['ark too-many-open-caller', 'ark too-many-open-caller'])
})

test('[SERVER-3] a call whose name no longer exists after a reload is not continued', async () => {
  const rules = { ark: { prefix: false }, zoo: {} } as const
  const { relay, sent, naming } = await aRelay(() => done, { rules })
  const call = callOf({ params: { name: 'deploy', arguments: {} } })
  const state = stateOf({ isPrefixed: true })

  expect(await relay.continue(call, state, decline)).toEqual(done)
  expect(sent[0]?.call.params).toEqual({ name: 'deploy', arguments: {} })
  naming.use({ ark: {}, zoo: {} })
  expect(await relay.continue(call, state, decline)).toMatchObject({
    kind: 'failed',
    isUnsent: true,
    error: { message: 'No server offers anything with that name.' },
  })
  expect(sent).toHaveLength(1)
})

test('[SERVER-3] a tool that is no longer offered is not continued', async () => {
  const { relay, sent, naming } = await aRelay(() => done)
  naming.use({ ark: { tools: { allow: ['*'], deny: ['deploy'], rename: {} } } })

  expect(await relay.continue(callOf(), stateOf(), decline)).toMatchObject({ kind: 'failed', isUnsent: true })
  expect(sent).toEqual([])
})

test('[SERVER-3] a call of a server that a reload has removed is not continued', async () => {
  const find = (name: string) => Promise.reject(new NotSent(new Error(`There is no server ${name}.`)))
  const { relay, sent, naming } = await aRelay(() => done, { find })
  naming.use({ zoo: {}, yak: {} })

  expect(await relay.continue(callOf(), stateOf(), decline)).toMatchObject({
    kind: 'failed',
    isUnsent: true,
    error: { message: expect.stringContaining('There is no server ark.') },
  })
  expect(sent).toEqual([])
})

test.each([
  ['cannot be reached', new Error('connection refused'), {}],
  [
    'was never reached',
    // biome-ignore lint/suspicious/useErrorMessage: Node's own error for several addresses has none
    new NotSent(new AggregateError([new Error('first address'), new Error('second')], '')),
    { isUnsent: true },
  ],
])('[RELAY-14] if the server of a waiting call %s, the caller gets the reason', async (_, error, more) => {
  const { relay } = await aRelay(() => done, { find: () => Promise.reject(error) })

  const outcome = await relay.continue(callOf(), stateOf(), decline)
  expect(outcome).toMatchObject({ kind: 'failed', ...more })
  expect(JSON.stringify(outcome)).toMatch(/connection refused|first address; second/)
})

test('[SERVER-3] a level is set at every server, and is an error only if all of them reject it', async () => {
  const rules = { ark: {}, zoo: {} }
  const level = callOf({ method: 'logging/setLevel', params: { level: 'info' } })
  const rejected = failed(errorCodes.methodNotFound, 'no logging')
  const some = await aRelay((_call, server) => (server === 'ark' ? rejected : done), { rules })
  const none = await aRelay(() => rejected, { rules })

  expect(await some.relay.start(level)).toMatchObject({ kind: 'finished' })
  expect(await none.relay.start(level)).toMatchObject(rejected)
  expect(none.sent.map(({ server }) => server)).toEqual(['ark', 'zoo'])
})

test('[SERVER-3] a list that never ends is read up to its limit', async () => {
  const page = { kind: 'finished', result: { tools: [{ name: 'a' }], nextCursor: 'more' } } as const
  const { relay, sent } = await aRelay((_call, server) => (server === 'ark' ? page : done), {
    rules: { ark: {}, zoo: {} },
  })

  const outcome = await relay.start(callOf({ method: 'tools/list', params: {} }))
  const { tools } = (outcome as { result: JsonObject }).result
  expect(tools).toHaveLength(100)
  expect(sent.filter(({ server }) => server === 'ark')).toHaveLength(100)
})

test('[SERVER-3] a server cannot take the name of our own tools, or one that is not valid', () => {
  expect(() => checkServerNames(['assent'])).toThrow('that name is reserved')
  for (const name of ['', 'A', 'a_b', '1a', 'a'.repeat(33)])
    expect(() => checkServerNames(['fine', name])).toThrow('is not a valid server name')
})
