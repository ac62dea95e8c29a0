import { expect, test } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openTestEnv } from '../../../../test-kit/gateway/test-env.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits } from '../limits.ts'
import { Heartbeat } from './heartbeat.ts'

async function aHeartbeat() {
  let nowMs = Date.now()
  const { store } = await openTestEnv({ clock: () => nowMs })
  const errors: unknown[] = []
  const heartbeat = new Heartbeat(store, 'a', (error) => errors.push(error))
  closeAfterTest(() => heartbeat.close())
  const advance = (ms: number) => {
    nowMs += ms
  }
  return { store, heartbeat, errors, advance }
}

test('[RUN-4] a replica is alive from its first use while something holds its lease, and dead when it is closed', async () => {
  const { store, heartbeat } = await aHeartbeat()
  let renewals = 0
  const renew = store.replicas.renew.bind(store.replicas)
  store.replicas.renew = (...renewed) => {
    renewals += 1
    return renew(...renewed)
  }
  expect(await store.replicas.isAlive('a')).toBe(false)

  await Promise.all([heartbeat.ensure(), heartbeat.ensure()])
  await heartbeat.ensure()
  expect(renewals).toBe(1)
  const release = heartbeat.hold()
  await until(() => (renewals > 1 ? true : undefined))
  expect(await store.replicas.isAlive('a')).toBe(true)
  release()
  await heartbeat.close()

  expect(await store.replicas.isAlive('a')).toBe(false)
})

test('[RUN-4] a replica that owns nothing does not renew its lease', async () => {
  const { store } = await aHeartbeat()
  let renewals = 0
  store.replicas.renew = async () => {
    renewals += 1
  }

  await new Promise((resolve) => setTimeout(resolve, relayLimits.renewEveryMs + 200))

  expect(renewals).toBe(0)
})

test('[RUN-13] a replica declares others dead only after its own beats succeeded for a whole lease', async () => {
  const { heartbeat, advance } = await aHeartbeat()
  let isStoreDown = false
  let beats = 0
  heartbeat.onBeat(async () => {
    beats += 1
    if (isStoreDown) throw new Error('The store is unavailable.')
  })
  const nextBeat = async () => {
    const before = beats
    await until(() => (beats > before ? true : undefined))
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(heartbeat.isSteady).toBe(false)
  for (let beat = 0; beat < 2; beat++) {
    advance(relayLimits.leaseMs / 2)
    await nextBeat()
  }
  expect(heartbeat.isSteady).toBe(true)

  isStoreDown = true
  await nextBeat()
  expect(heartbeat.isSteady).toBe(false)
  isStoreDown = false
  await nextBeat()
  expect(heartbeat.isSteady).toBe(false)

  // A machine that slept: the clock advanced without a beat.
  advance(60_000)
  await nextBeat()
  expect(heartbeat.isSteady).toBe(false)
})
