import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { closeAfterTest } from '../../../../test-kit/close-after-test.ts'
import { openTestStore } from '../../../../test-kit/store/open.ts'
import { until } from '../../../../test-kit/until.ts'
import { relayLimits, setLimits } from '../limits.ts'
import { Heartbeat, sweepDeadReplicas } from './heartbeat.ts'

beforeEach(() => {
  onTestFinished(setLimits(relayLimits, { renewEveryMs: 50 }))
})

async function aHeartbeat() {
  let nowMs = Date.now()
  const { store, close } = await openTestStore({ clock: () => nowMs })
  closeAfterTest(close)
  const errors: unknown[] = []
  const heartbeat = new Heartbeat(store, 'a', (error) => errors.push(error))
  closeAfterTest(() => heartbeat.close())
  let beats = 0
  heartbeat.onBeat(async () => {
    beats += 1
  })
  const advance = (ms: number) => {
    nowMs += ms
  }
  const nextBeat = async () => {
    const before = beats + errors.length
    await until(() => (beats + errors.length > before ? true : undefined))
    await new Promise((resolve) => setImmediate(resolve))
  }
  /** Lets a whole lease pass with beats that succeed; steady if the lease is in use. */
  const becomeSteady = async () => {
    for (let beat = 0; beat < 3; beat++) {
      await nextBeat()
      advance(relayLimits.leaseMs / 2)
    }
  }
  const renew = vi.spyOn(store.replicas, 'renew')
  return { store, heartbeat, errors, advance, nextBeat, becomeSteady, renew }
}

const unavailable = () => Promise.reject(new Error('The store is unavailable.'))
const aCall = { tenant: 'acme', principal: 'ann', server: 'deploy', method: 'tools/call', requestDigest: '' }

test('[RUN-4] uses of the lease share one renewal until it is due again', async () => {
  onTestFinished(setLimits(relayLimits, { renewEveryMs: 600_000 }))
  const { heartbeat, renew } = await aHeartbeat()

  await Promise.all([heartbeat.ensure(), heartbeat.ensure()])
  await heartbeat.ensure()

  expect(renew).toHaveBeenCalledTimes(1)
})

test('[RUN-4] a replica is alive from its first use while something holds its lease, and dead when it is closed', async () => {
  const { store, heartbeat, renew } = await aHeartbeat()
  expect(await store.replicas.isAlive('a')).toBe(false)

  await heartbeat.ensure()
  const release = heartbeat.hold()
  const before = renew.mock.calls.length
  await until(() => (renew.mock.calls.length > before ? true : undefined))
  expect(await store.replicas.isAlive('a')).toBe(true)
  release()
  await heartbeat.close()

  expect(await store.replicas.isAlive('a')).toBe(false)
})

test('[RUN-4] a replica does not renew its lease while no replica owns anything', async () => {
  const { store, heartbeat, nextBeat, renew } = await aHeartbeat()
  sweepDeadReplicas(heartbeat, store)

  await nextBeat()
  await nextBeat()

  expect(renew).not.toHaveBeenCalled()
})

test('[RUN-4] after its lease has ended, a replica drops what others ended before it uses the lease again', async () => {
  const { store, heartbeat, advance, renew } = await aHeartbeat()
  let drops = 0
  let isFailing = true
  await heartbeat.ensure()
  heartbeat.onLapse(async () => {
    drops += 1
    if (isFailing) throw new Error('The store is unavailable.')
  })
  advance(relayLimits.leaseMs)
  renew.mockClear()

  // The task failed, so the lease is not used although it was renewed.
  const realNow = performance.now.bind(performance)
  const now = vi.spyOn(performance, 'now').mockImplementation(() => realNow() + relayLimits.renewEveryMs)
  closeAfterTest(async () => now.mockRestore())
  await expect(heartbeat.ensure()).rejects.toThrow('unavailable')
  isFailing = false
  await heartbeat.ensure()
  await heartbeat.ensure()

  expect(renew).toHaveBeenCalledTimes(2)
  expect(drops).toBe(2)
  expect(await store.replicas.isAlive('a')).toBe(true)
})

test('[RUN-13] a replica declares others dead only after its own renewals succeeded for a whole lease', async () => {
  const { heartbeat, advance, nextBeat, becomeSteady, renew } = await aHeartbeat()
  // Beats without a renewal are no evidence that others can renew their leases.
  await becomeSteady()
  expect(heartbeat.isSteady).toBe(false)
  heartbeat.hold()
  await nextBeat()
  expect(heartbeat.isSteady).toBe(false)
  await becomeSteady()
  expect(heartbeat.isSteady).toBe(true)

  renew.mockImplementation(unavailable)
  await nextBeat()
  expect(heartbeat.isSteady).toBe(false)
  renew.mockRestore()
  await nextBeat()
  expect(heartbeat.isSteady).toBe(false)
  await becomeSteady()
  expect(heartbeat.isSteady).toBe(true)

  // A machine that slept: the clock advanced without a beat.
  advance(60_000)
  expect(heartbeat.isSteady).toBe(false)
  await nextBeat()
  expect(heartbeat.isSteady).toBe(false)
})

test('[RUN-13] a renewal that hangs ends the steadiness before the lease of another replica can end', async () => {
  const { heartbeat, becomeSteady, renew } = await aHeartbeat()
  heartbeat.hold()
  await becomeSteady()
  expect(heartbeat.isSteady).toBe(true)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  renew.mockImplementation(() => promise)
  closeAfterTest(async () => resolve(true))
  const realNow = performance.now.bind(performance)
  const now = vi.spyOn(performance, 'now')
  closeAfterTest(async () => now.mockRestore())

  now.mockImplementation(() => realNow() + relayLimits.leaseMs - relayLimits.renewEveryMs)

  expect(heartbeat.isSteady).toBe(false)
})

test('[RUN-13] a replica that is not steady ends no call of another one; a steady one ends it', async () => {
  const { store, heartbeat, advance, nextBeat, becomeSteady, renew } = await aHeartbeat()
  await store.replicas.renew('dead', 1)
  await store.calls.begin({ ...aCall, id: 'call_1', owner: 'dead' })
  advance(1)
  let lost = 0
  sweepDeadReplicas(heartbeat, store, (calls) => {
    lost += calls
  })
  const kind = async () => (await store.calls.read('acme', 'call_1', 'ann'))?.state.kind

  // Reads work, writes do not: so no replica could renew its lease.
  renew.mockImplementation(unavailable)
  for (let beat = 0; beat < 3; beat++) {
    await nextBeat()
    advance(relayLimits.leaseMs / 2)
  }
  expect(await kind()).toBe('running')
  renew.mockRestore()
  await nextBeat()
  expect(await kind()).toBe('running')

  await becomeSteady()
  await nextBeat()
  await until(() => (lost === 1 ? true : undefined))
  expect(await kind()).toBe('lost')
})

test('[RUN-13] a task that fails holds up no other task, and no replica is declared dead in its beat', async () => {
  const { store, heartbeat, errors, advance, becomeSteady, nextBeat } = await aHeartbeat()
  await store.replicas.renew('dead', 1)
  await store.calls.begin({ ...aCall, id: 'call_1', owner: 'dead' })
  advance(1)
  heartbeat.hold()
  await becomeSteady()
  const steady: boolean[] = []
  let failures = 1
  heartbeat.onBeat(async () => {
    steady.push(heartbeat.isSteady)
    if (failures-- > 0) throw new Error('This row cannot be written.')
  })
  sweepDeadReplicas(heartbeat, store)
  let sweeps = 0
  heartbeat.onBeat(async () => {
    sweeps += 1
  })
  const kind = async () => (await store.calls.read('acme', 'call_1', 'ann'))?.state.kind

  await until(() => (sweeps === 1 ? true : undefined))
  expect(steady).toEqual([true])
  expect(errors).toMatchObject([{ message: 'This row cannot be written.' }])
  expect(await kind()).toBe('running')

  await becomeSteady()
  await nextBeat()
  await until(async () => ((await kind()) === 'lost' ? true : undefined))
})
