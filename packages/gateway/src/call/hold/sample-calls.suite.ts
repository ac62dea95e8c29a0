// Parts for the tests of this folder: a store, a replica on it, and a scripted server below its calls.

import { randomBytes } from 'node:crypto'
import { AssentError, type JsonObject, newId } from '@assent/core'
import type { Store } from '@assent/store'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { openTestStore } from '../../../../../test-kit/store/open.ts'
import { Heartbeat } from '../../cluster/heartbeat.ts'
import { relayLimits, setLimits } from '../../limits.ts'
import type { RelayState } from '../call-state.ts'
import {
  type Answers,
  type Call,
  type Finished,
  failed,
  type NeedsInput,
  type Outcome,
  withoutAskIds,
} from '../model.ts'
import { raiseAsk } from '../route/inbox-asks.ts'
import { callOf, form } from '../route/sample-rounds.suite.ts'
import { OpenAskLimits } from '../screen/open-limits.ts'
import { linearPatterns } from '../screen/patterns.ts'
import { Shutdown } from '../shutdown.ts'
import { HeldCalls, type HeldRelay } from './held-calls.ts'
import type { ToOthers } from './remote-calls.ts'

export const tenant = 'default'
export const callId = newId('call', Date.now(), randomBytes)
export const otherCallId = newId('call', Date.now(), randomBytes)
export const digest = 'the digest of the request'
export const done: Finished = { kind: 'finished', result: { content: [] } }
export const yes: Answers = { one: { result: { action: 'accept', content: {} } } }
export const unavailable = () => Promise.reject(new AssentError('store_unavailable', 'The store is unavailable.'))

/** Without the rest of the gateway, which takes long to load. */
export async function openStore(): Promise<Store> {
  const { store, close } = await openTestStore({ patterns: linearPatterns })
  closeAfterTest(close)
  return store
}

/** Sets limits until the test ends. */
export function limited(changes: Partial<typeof relayLimits>): void {
  closeAfterTest(setLimits(relayLimits, changes))
}

/** Lets other tasks run. */
export function pause(ms = 30): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** A server waits inside this call, unless `id` is undefined. */
export function stateOf(id: string | undefined = callId, more: Partial<RelayState> = {}): RelayState {
  return { server: 'deploy', inner: { held: id }, schemas: {}, isPrefixed: false, ...more } as RelayState
}

/** The outcome of a call in which a server waits for an answer. */
export function asked(
  wanted: NeedsInput['wanted'] = { one: form('One?') },
  more: Partial<NeedsInput<RelayState>> = {},
): NeedsInput<RelayState> {
  return { kind: 'input-required', wanted, state: stateOf(), over: new Promise(() => undefined), ...more }
}

export type Reply = Outcome<RelayState> | (() => Promise<Outcome<RelayState>>)

interface Sent {
  readonly how: 'start' | 'continue' | 'refuse'
  readonly call: Call
  readonly state?: RelayState
  readonly given?: Answers
}

/** A relay above a server that returns these outcomes, in this order. A request after the last of them fails the test. */
export function scripted(...replies: readonly Reply[]) {
  const left = [...replies]
  const sent: Sent[] = []
  const cancelled: Sent[] = []
  const relay = {
    start: (call: Call) => next({ how: 'start', call }),
    continue: (call: Call, state: RelayState, given: Answers) => next({ how: 'continue', call, state, given }),
    refuse: (call: Call, state: RelayState) => next({ how: 'refuse', call, state }),
    asking: new OpenAskLimits({ isEnabled: true, askWaitMs: 60_000 }),
  } satisfies HeldRelay
  async function next(request: Sent): Promise<Outcome<RelayState>> {
    if (request.how === 'continue' && request.call.signal.aborted) {
      cancelled.push(request)
      return failed(0, 'Cancelled.')
    }
    sent.push(request)
    const reply = left.shift()
    if (reply === undefined) throw new Error('The server got a request that the test does not expect.')
    return typeof reply === 'function' ? reply() : reply
  }
  return {
    relay,
    sent,
    cancelled,
    answersSent: () => sent.flatMap(({ given }) => (given === undefined ? [] : [withoutAskIds(given)])),
  }
}

/** The lease of a replica, its errors, and the rows that it writes. */
export async function openReplica(replica = 'a', store?: Store) {
  const opened = store ?? (await openStore())
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const heartbeat = new Heartbeat(opened, replica, onError)
  closeAfterTest(() => heartbeat.close())
  return {
    store: opened,
    heartbeat,
    errors,
    onError,
    row: async (id = callId, principal = 'ann') => (await opened.calls.read(tenant, id, principal))?.state,
    ask: async (id: string | undefined) => (await opened.asks.read(tenant, id ?? ''))?.state,
    raise: (message = 'One?', schema?: Parameters<typeof form>[1], heldIn?: string) =>
      raiseForm(opened, message, schema, heldIn),
    answer: (id: string | undefined, answer: JsonObject = { action: 'accept', content: {} }) =>
      answerAsAnn(opened, id ?? '', answer),
  }
}

/** A replica that holds calls, above a server with these outcomes. */
export async function openHeld(
  replies: readonly Reply[],
  { replica = 'a', store, others }: { replica?: string; store?: Store; others?: ToOthers } = {},
) {
  const parts = await openReplica(replica, store)
  const server = scripted(...replies)
  const shutdown = new Shutdown()
  const wait = { askWaitMs: 60_000 }
  const heldCalls = new HeldCalls(parts.store, server.relay, wait, parts.heartbeat, others, shutdown, parts.onError)
  return { ...parts, ...server, shutdown, heldCalls, layer: heldCalls.below(digest) }
}

/** The outcome of a call that needs input. */
export function needingInput<State>(outcome: Outcome<State>): NeedsInput<State> {
  if (outcome.kind !== 'input-required') throw new Error(`The call does not need input: ${JSON.stringify(outcome)}`)
  return outcome
}

/** Other replicas find the lease of this one ended, and end its calls. */
export async function endLease(store: Store, replica = 'a'): Promise<void> {
  await store.replicas.end(replica)
  await store.abandonLostCalls()
}

async function raiseForm(
  store: Store,
  message: string,
  schema?: Parameters<typeof form>[1],
  heldIn?: string,
): Promise<string> {
  const raising = { server: 'deploy', waitMs: 60_000, ...(heldIn === undefined ? {} : { callId: heldIn }) }
  const id = await raiseAsk(store, callOf(), form(message, schema), raising)
  if (id === undefined) throw new Error('The question was not raised.')
  return id
}

async function answerAsAnn(store: Store, id: string, answer: JsonObject): Promise<void> {
  const person = { principal: 'ann', groups: [] }
  const { kind } = await store.asks.answer({ tenant, id, person, via: 'inbox', answer, refusesSecrets: false })
  if (kind !== 'settled') throw new Error(`The answer was not accepted: ${kind}`)
}
