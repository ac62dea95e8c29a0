import { expect, test } from 'vitest'
import { programLimits } from '../limits.ts'
import { type NotReady, Readiness } from './readiness.ts'

/** A readiness check with a fake store and a fake clock. */
function aReadiness() {
  const changes: (NotReady | undefined)[] = []
  const state = {
    nowMs: 0,
    writes: 0,
    canRead: true,
    areKeysRead: true,
    write: async (): Promise<void> => undefined,
    changes,
  }
  const readiness = new Readiness({
    store: {
      calls: { read: async () => (state.canRead ? undefined : Promise.reject(new Error('gone'))) },
      replicas: {
        confirmWrite: () => {
          state.writes += 1
          return state.write()
        },
      },
    } as never,
    isDraining: () => false,
    areIssuerKeysRead: () => state.areKeysRead,
    onChange: (found) => changes.push(found),
    now: () => state.nowMs,
  })
  return { state, look: () => readiness.look() }
}

const { readyLookMs, readyWriteMs } = programLimits

test('[PROG-9] frequent checks write to the store at most once every few seconds', async () => {
  const { state, look } = aReadiness()

  for (let ms = 0; ms <= readyWriteMs; ms += 50) {
    state.nowMs = ms
    expect(await look()).toBeUndefined()
  }

  expect(state.writes).toBeLessThanOrEqual(2)
})

test('[PROG-9] a store that refuses writes is retried a second later, and readiness recovers with it', async () => {
  const { state, look } = aReadiness()
  state.write = () => Promise.reject(new Error('cannot execute INSERT in a read-only transaction'))

  expect(await look()).toEqual({ status: 'store not writable', reason: 'The store is read-only.' })
  state.write = () => Promise.reject(new Error('disk full'))
  state.nowMs += readyLookMs + 1
  expect(await look()).toEqual({ status: 'store not writable', reason: 'The store refuses writes.' })
  state.write = async () => undefined
  expect(await look()).toMatchObject({ status: 'store not writable' })
  state.nowMs += readyLookMs + 1

  expect(await look()).toBeUndefined()
  expect(state.changes.map((one) => one?.reason)).toEqual([
    'The store is read-only.',
    'The store refuses writes.',
    undefined,
  ])
})

test('[PROG-9] a hanging write is waited for only once, and no second write is sent meanwhile', async () => {
  const { state, look } = aReadiness()
  const { promise, resolve } = Promise.withResolvers<void>()
  state.write = () => promise
  const hangs = { status: 'store not writable', reason: 'The store does not confirm writes in time.' }

  expect(await look()).toEqual(hangs)
  const began = performance.now()
  for (let looks = 0; looks < 5; looks++) {
    state.nowMs += programLimits.readyWithinMs + readyLookMs
    expect(await look()).toEqual(hangs)
  }
  // If each of them waited, they would take five times `readyWithinMs`.
  expect(performance.now() - began).toBeLessThan(4 * programLimits.readyWithinMs)
  expect(state.writes).toBe(1)

  resolve()
  await promise
  state.nowMs += readyLookMs + 1
  expect(await look()).toBeUndefined()
})

test('[PROG-9] it is not ready while its store is unreadable, nor before the issuer keys were read', async () => {
  const { state, look } = aReadiness()
  state.canRead = false
  expect(await look()).toMatchObject({ status: 'store unreachable' })

  state.canRead = true
  state.areKeysRead = false
  state.nowMs += readyLookMs + 1
  expect(await look()).toMatchObject({ status: 'issuer keys not read' })

  state.areKeysRead = true
  state.nowMs += readyLookMs + 1
  expect(await look()).toBeUndefined()
})
