// Rounds of questions for the tests of this folder.

import type { JsonObject } from '@assent/core'
import type { Store } from '@assent/store'
import { onTestFinished } from 'vitest'
import { closeAfterTest } from '../../../../../test-kit/close-after-test.ts'
import { openTestStore } from '../../../../../test-kit/store/open.ts'
import { relayLimits, setLimits } from '../../limits.ts'
import type { RoutingState } from '../call-state.ts'
import type { CallLayer } from '../layers.ts'
import { type Call, type Failed, failed, type InputRequest } from '../model.ts'
import { OpenAskLimits } from '../screen/open-limits.ts'
import { linearPatterns } from '../screen/patterns.ts'
import { InboxFallback } from './inbox-fallback.ts'
import { RoundAsks } from './round-asks.ts'

/** A busy machine must not look like a store that hangs. */
const patientMs = 60_000

/** For tests in which the store hangs: calls stop waiting for it after a moment. To be called after `openRounds`. */
export function shortGrace(): () => void {
  return setGrace(30)
}

/** Restores only this limit, because a test may have changed others before. */
function setGrace(storeGraceMs: number): () => void {
  const before = relayLimits.storeGraceMs
  setLimits(relayLimits, { storeGraceMs })
  const restore = () => void setLimits(relayLimits, { storeGraceMs: before })
  onTestFinished(restore)
  return restore
}

export const settings = { surfaces: ['client', 'inbox'], askWaitMs: 60_000, silentAfterMs: 30_000 } as const
const ann = { principal: 'ann', groups: [] }
const tenant = 'default'

export function callOf(more: Partial<Call> = {}): Call {
  return {
    tenant,
    principal: 'ann',
    scope: '',
    method: 'tools/call',
    params: { name: 'deploy', arguments: { env: 'prod' } },
    client: { info: {}, declared: {}, capabilities: {} },
    notify: () => undefined,
    signal: new AbortController().signal,
    ...more,
  }
}

export function form(message: string, schema: JsonObject = { type: 'object', properties: {} }): InputRequest {
  return { kind: 'form', message, schema, params: {} }
}

export function stateOf(wanted: RoutingState['wanted'], more: Partial<RoutingState> = {}): RoutingState {
  const relay = { server: 'deploy', inner: null, schemas: {}, isPrefixed: false, round: { id: 'round', atMs: 1 } }
  return { ...relay, wanted, onRecord: {}, inInbox: {}, copies: {}, kept: {}, waits: 0, ...more }
}

/** For tests in which nothing is sent to a server. */
export const unusedLayer: CallLayer = { start: notUsed, continue: notUsed, refuse: notUsed }

async function notUsed(): Promise<Failed> {
  return failed(0, 'Not used here.')
}

/** @param perCaller how many asks Ann may have open */
export async function openRounds(perCaller = 100) {
  setGrace(patientMs)
  const { store, close } = await openTestStore({ patterns: linearPatterns })
  closeAfterTest(close)
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const asking = new OpenAskLimits({
    isEnabled: true,
    askWaitMs: settings.askWaitMs,
    open: { perCaller, total: 1_000 },
  })
  const fallback = new InboxFallback(store, settings, asking, onError)
  const asks = new RoundAsks(store, settings, asking, fallback, onError)
  return {
    store,
    asks,
    asking,
    fallback,
    errors,
    onError,
    read: (id: string | undefined) => store.asks.read(tenant, id ?? ''),
    open: async () => (await store.inbox.page({ tenant, person: ann, show: 'open' })).asks,
    answer: (id: string | undefined, answer: JsonObject = { action: 'accept', content: {} }) =>
      answerInInbox(store, id ?? '', answer),
  }
}

async function answerInInbox(store: Store, id: string, answer: JsonObject): Promise<void> {
  const { kind } = await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer, refusesSecrets: false })
  if (kind !== 'settled') throw new Error(`The answer was not accepted: ${kind}`)
}
