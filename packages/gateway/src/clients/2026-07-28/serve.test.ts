// Requests above a scripted server, with real routing, held calls and store.

import type { JsonObject } from '@assent/core'
import { expect, test, vi } from 'vitest'
import type { RelayState } from '../../call/call-state.ts'
import { asked, stateOf } from '../../call/hold/sample-calls.suite.ts'
import { keys, openDeferred } from '../../call/hold/sample-deferred.suite.ts'
import type { Outcome } from '../../call/model.ts'
import { form } from '../../call/route/sample-rounds.suite.ts'
import { WaitingAsks } from '../../call/route/waiting-asks.ts'
import type { Request } from '../../protocol/messages.ts'
import { metaKeys, revision } from '../../protocol/names-2026-07-28.ts'
import type { Serving } from '../context.ts'
import { serve20260728 } from './serve.ts'

async function served(reply: Outcome<RelayState>, capabilities: JsonObject = { elicitation: { form: {} } }) {
  const parts = await openDeferred([reply])
  const { store, heartbeat, onError, deferred } = parts
  const withdrawn = vi.spyOn(store.asks, 'withdraw')
  const serving = {
    ...parts,
    deferredCalls: deferred,
    waiting: new WaitingAsks(store, heartbeat, onError),
    keys,
    tenant: 'default',
    askWaitMs: 60_000,
    holdMs: 0,
  } as unknown as Serving
  const _meta = { [metaKeys.version]: revision, [metaKeys.capabilities]: capabilities }
  const params = { name: 'deploy', arguments: {}, _meta }
  const request: Request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
  const end = vi.fn()
  const output = { send: () => undefined, open: () => undefined, finish: () => undefined, end }
  const caller = { principal: 'ann', signal: new AbortController().signal, mayReconnect: true }
  await serve20260728(serving, caller, request, output)
  return { ...parts, reply: end.mock.calls[0]?.[0], withdrawn }
}

const largeSchemas = { one: { type: 'object', description: 'x'.repeat(500_000) } }
const tooLarge = { error: { message: expect.stringContaining('too large to be sent') } }

test('[LIMIT-6] a held call whose state is too large for the reply is cancelled, and its asks are withdrawn', async () => {
  const held = asked({ one: form('One?') }, { state: stateOf(undefined, { schemas: largeSchemas }) })
  const { reply, cancelled, heldCalls, withdrawn, row, ask } = await served(held)

  expect(reply).toMatchObject(tooLarge)
  expect(cancelled).toHaveLength(1)
  expect(heldCalls.size).toBe(0)
  await expect.poll(() => row()).toMatchObject({ kind: 'finished' })
  await expect.poll(() => withdrawn.mock.calls.length).toBeGreaterThan(0)
  for (const [, id] of withdrawn.mock.calls) await expect.poll(() => ask(id)).toMatchObject({ kind: 'withdrawn' })
})

test('[LIMIT-6] the asks of a call whose state is too large for the reply are withdrawn from the inbox', async () => {
  const state = { ...stateOf(), inner: null, schemas: largeSchemas }
  const asks = { kind: 'input-required', wanted: { one: form('One?') }, state } as const
  const { reply, withdrawn, ask } = await served(asks, {})

  expect(reply).toMatchObject(tooLarge)
  expect(withdrawn.mock.calls.length).toBeGreaterThan(0)
  for (const [, id] of withdrawn.mock.calls) expect(await ask(id)).toMatchObject({ kind: 'withdrawn' })
})

test('[RELAY-1] a call whose state fits into the reply keeps waiting, and its asks stay open', async () => {
  const { reply, cancelled, heldCalls, withdrawn } = await served(asked())

  expect(reply).toMatchObject({ result: { resultType: 'input_required', requestState: expect.any(String) } })
  expect(cancelled).toEqual([])
  expect(heldCalls.size).toBe(1)
  expect(withdrawn).not.toHaveBeenCalled()
})
