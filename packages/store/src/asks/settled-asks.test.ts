import type { Ask } from '@assent/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { storeLimits } from '../limits.ts'
import { SettledAsks } from './settled-asks.ts'

const tenant = 'acme'

function settled(id: string, state: Partial<Extract<Ask['state'], { kind: 'settled' }>> = {}): Ask {
  const by = { by: 'ann', via: 'inbox', atMs: 1, decisionId: 'd1' } as const
  return { tenant, id, state: { kind: 'settled', answer: { action: 'accept' }, ...by, ...state } } as Ask
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('[FLEET-21] a settled ask is found for a few seconds, only under its tenant', () => {
  const asks = new SettledAsks()
  const ask = settled('ask_1')

  asks.add(ask)
  vi.advanceTimersByTime(storeLimits.settledAskMs - 1)
  expect(asks.find(tenant, 'ask_1')).toBe(ask)
  expect(asks.find('other', 'ask_1')).toBeUndefined()
  vi.advanceTimersByTime(1)
  expect(asks.find(tenant, 'ask_1')).toBeUndefined()
})

test('[VOTE-7] an ask whose answer looks like a secret is not kept, nor one that is open', () => {
  const asks = new SettledAsks()

  asks.add(settled('ask_1', { isSecret: true }))
  asks.add({ ...settled('ask_2'), state: { kind: 'open' } })

  expect([asks.find(tenant, 'ask_1'), asks.find(tenant, 'ask_2')]).toEqual([undefined, undefined])
  expect(vi.getTimerCount()).toBe(0)
})

test('[FLEET-21] no more asks are kept than the limit, and none after it is closed', () => {
  const asks = new SettledAsks()
  for (let count = 0; count <= storeLimits.settledAsks; count++) asks.add(settled(`ask_${count}`))

  expect(asks.find(tenant, `ask_${storeLimits.settledAsks - 1}`)).toBeDefined()
  expect(asks.find(tenant, `ask_${storeLimits.settledAsks}`)).toBeUndefined()
  asks.close()
  expect(asks.find(tenant, 'ask_1')).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
})
