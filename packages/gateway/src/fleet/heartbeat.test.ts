import { expect, test } from 'vitest'
import { aStage, putAwayLater, until } from '../contract/stage.suite.ts'
import { relayLimits } from '../limits.ts'
import { Heartbeat } from './heartbeat.ts'

async function aHeartbeat() {
  let aheadMs = 0
  const { store } = await aStage({ clock: () => Date.now() + aheadMs })
  const troubles: unknown[] = []
  const heartbeat = new Heartbeat(store, 'a', (error) => troubles.push(error))
  putAwayLater(() => heartbeat.close())
  const advance = (ms: number) => {
    aheadMs += ms
  }
  return { store, heartbeat, troubles, advance }
}

test('[RUN-4] a replica is alive from its first use on, while something holds it, and dead when it is closed', async () => {
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
  const letGo = heartbeat.hold()
  await until(() => (renewals > 1 ? true : undefined))
  expect(await store.replicas.isAlive('a')).toBe(true)
  letGo()
  await heartbeat.close()

  expect(await store.replicas.isAlive('a')).toBe(false)
})

test('[RUN-4] a replica that nothing names writes nothing', async () => {
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
  let isAway = false
  let beats = 0
  heartbeat.onBeat(async () => {
    beats += 1
    if (isAway) throw new Error('The store is away.')
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

  isAway = true
  await nextBeat()
  expect(heartbeat.isSteady).toBe(false)
  isAway = false
  await nextBeat()
  expect(heartbeat.isSteady).toBe(false)

  // A machine that slept: the clock has moved on, and no beat came in between.
  advance(60_000)
  await nextBeat()
  expect(heartbeat.isSteady).toBe(false)
}, 20_000)
