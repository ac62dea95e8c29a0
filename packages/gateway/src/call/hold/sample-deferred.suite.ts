// Deferred calls above a scripted server, with real routing and claims.

import { randomBytes } from 'node:crypto'
import { createKeyRing, type JsonObject, type KeyRing, type Surface } from '@assent/core'
import type { Store } from '@assent/store'
import { objectAt } from '../../protocol/messages.ts'
import type { CallState, RoutingState } from '../call-state.ts'
import type { Call, Outcome } from '../model.ts'
import { Routing } from '../route/routing.ts'
import { callOf, form, stateOf as routedState, settings } from '../route/sample-rounds.suite.ts'
import { ClaimedRounds } from './claimed-rounds.ts'
import { DeferredCalls, type DeferredCallsSettings } from './deferred-calls.ts'
import { openHeld } from './sample-calls.suite.ts'

export const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])

interface Options extends Pick<DeferredCallsSettings, 'inboxUrl'> {
  readonly surfaces?: readonly Surface[]
  readonly replica?: string
  readonly store?: Store
  readonly keyRing?: KeyRing
}

export async function openDeferred(
  replies: Parameters<typeof openHeld>[0],
  { surfaces = ['client', 'inbox'], keyRing = keys, ...options }: Options = {},
) {
  const held = await openHeld(replies, options)
  const { store, heartbeat, relay, shutdown, heldCalls, onError } = held
  const claims = new ClaimedRounds(store, heartbeat, keyRing, settings, onError)
  const routing = new Routing(store, { ...settings, surfaces, unseenAfterMs: 300 }, relay.asking, shutdown, claims)
  const deferred = new DeferredCalls(store, keyRing, routing, heldCalls, { askWaitMs: 60_000, ...options }, onError)
  /** A call that waits for the inbox. */
  const waiting = async (more: Partial<RoutingState> = {}, others: Record<string, string> = {}) => {
    const askId = await held.raise()
    const round = { id: askId, atMs: store.nowMs() }
    const state = routedState({ one: form('One?') }, { round, inInbox: { one: askId, ...others }, ...more })
    const waits = { kind: 'input-required', wanted: {}, state } as const
    const outcome = state.inner === null ? waits : { ...waits, over: new Promise<void>(() => undefined) }
    return { outcome, askId }
  }
  const fetch = (askId: string, call: Call = callOf({ method: 'tools/call', params: { name: 'await' } }), forMs = 0) =>
    deferred.fetch(call, askId, { forMs, canRetry: false })
  return { ...held, routing, deferred, waiting, fetch }
}

export function detailsOf(outcome: Outcome<CallState>): JsonObject {
  const result = outcome.kind === 'finished' ? outcome.result : {}
  return objectAt(result, 'structuredContent') ?? {}
}

export function textOf(outcome: Outcome<CallState>): string {
  const result = outcome.kind === 'finished' ? outcome.result : {}
  const [first] = Array.isArray(result.content) ? result.content : []
  return String((first as JsonObject | undefined)?.text)
}
