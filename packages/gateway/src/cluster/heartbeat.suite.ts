// A heartbeat with fake timers, and a store that records what it is asked.

import { onTestFinished, vi } from 'vitest'
import { relayLimits, setLimits } from '../limits.ts'
import { Heartbeat } from './heartbeat.ts'

export const leaseMs = 6_000
export const renewEveryMs = 2_000
export const recordSettlesMs = 30_000

/** To be called by each test: its limits and its fake timers end with the test. */
export function aHeartbeat(everyMs = renewEveryMs) {
  onTestFinished(setLimits(relayLimits, { leaseMs, renewEveryMs: everyMs, recordSettlesMs }))
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const state = { skewMs: 0, wasValid: true, owners: [] as { id: string; isAlive: boolean }[], lost: [] as string[] }
  const renew = vi.fn(async (_id: string, _leaseMs: number, _address?: string) => state.wasValid)
  const end = vi.fn(async (_id: string) => undefined)
  const abandonLostCalls = vi.fn(async () => state.lost)
  const withdrawOfDeadReplicas = vi.fn(async () => undefined)
  const store = {
    nowMs: () => Date.now() + state.skewMs,
    replicas: { renew, end, owners: async () => state.owners },
    asks: { withdrawOfDeadReplicas },
    abandonLostCalls,
  } as never
  const errors: unknown[] = []
  const heartbeat = new Heartbeat(store, 'a', (error) => errors.push(error))
  onTestFinished(() => heartbeat.close())
  /** The lease is held, and steady since the first renewal. */
  const held = async () => {
    const release = heartbeat.hold()
    await pass(renewEveryMs)
    renew.mockClear()
    return release
  }
  return { heartbeat, store, state, errors, renew, end, abandonLostCalls, withdrawOfDeadReplicas, held }
}

export const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)
