// Uses every operation of a store that a gateway needs.

import { pinnedDefinition } from '@assent/core'
import { expect } from 'vitest'
import { allItems } from '../../../../test-kit/all-items.ts'
import type { Store } from '../index.ts'
import { accept, aForm, anApproval, anId, ann, aRecordedCall, inEurope } from './drafts.suite.ts'

/** Uses every operation of the store once. */
export async function useEveryOperation(store: Store): Promise<void> {
  const atMost = { perCaller: 9, perServer: 9, perTenant: 9, total: 9 }
  const form = await store.asks.raise(aForm(), atMost)
  const answer = { tenant: 'acme', person: ann, via: 'inbox' } as const
  expect(await store.asks.answer({ ...answer, id: form.id, answer: inEurope })).toMatchObject({ kind: 'settled' })
  const approval = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 1))
  expect(await store.asks.answer({ ...answer, id: approval.id, answer: accept })).toMatchObject({ kind: 'settled' })
  expect(await store.grants.read('acme', approval.id)).toBeDefined()
  expect((await store.inbox.page({ tenant: 'acme', person: ann, show: 'ended' })).asks.length).toBeGreaterThan(1)

  const call = { tenant: 'acme', id: anId('call'), principal: 'ann', server: 'deploy', method: 'tools/call' }
  await store.replicas.renew('me', 60_000)
  await store.calls.begin({ ...call, requestDigest: 'x', owner: 'me' })
  expect(await store.replicas.owners()).toContainEqual({ id: 'me', isAlive: true })
  expect(await store.calls.finish('acme', call.id, 'me', '{}')).toBe(true)
  await store.deferred.keep({ tenant: 'acme', id: form.id, principal: 'ann', state: 's', keepMs: 60_000 })
  expect(await store.deferred.read('acme', form.id, 'ann')).toBeDefined()
  const session = { tenant: 'acme', id: anId(), principal: 'ann' }
  const limits = { keepMs: 60_000, perPrincipal: 10 }
  expect(await store.sessions.begin(session, { revision: '2025-11-25', client: '{}', owner: 'me' }, limits)).toBe(true)
  expect(await store.sessions.read(session)).toBeDefined()
  await store.asks.raise(anApproval(['group:ops'], 1), atMost, undefined, true)
  for (const left of [1, 0]) {
    const [due] = await store.outbox.claim({ tenant: 'acme', owner: 'me', leaseMs: 60_000, atMost: 9 })
    if (due === undefined) throw new Error('No message is due.')
    const next = { stage: 'expiring', dueAtMs: 0, attempts: 0, done: [] } as const
    expect(await (left === 1 ? store.outbox.reschedule(due, next) : store.outbox.remove(due))).toBe(true)
  }
  const recorded = { ...aRecordedCall(), outcome: 'ok' } as const
  await store.recordedCalls.write([recorded])
  const found = await allItems(store.recordedCalls.since('acme', { atMs: 0, id: '' }, 0))
  expect(found).toContainEqual(expect.objectContaining({ id: recorded.id, outcome: 'ok' }))
  expect(await store.recordedCalls.deleteOlderThan('acme', -60_000)).toBe(found.length)
  const tool = { tenant: 'acme', server: 'deploy', tool: anId() }
  const [first, second] = [{}, { readOnlyHint: true }].map((annotations) =>
    pinnedDefinition({ name: 'a', annotations }),
  )
  if (first === undefined || second === undefined) throw new Error('There are two definitions.')
  expect(await store.definitions.pin(tool, first)).toBe(true)
  expect(await store.definitions.addChanged(tool, second)).toBe(true)
  expect(await store.definitions.setAsk(tool, second, form.id)).toBe(true)
  expect(await store.definitions.accept(tool, second, 'ann', form.id)).toBe(true)
  expect(await store.definitions.of(tool)).toHaveLength(2)
  await store.sweep()
  await store.abandonLostCalls()
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true })
}
