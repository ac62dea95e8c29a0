// The lease and its renewals to the millisecond.
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { aHeartbeat, leaseMs, pass, recordSettlesMs, renewEveryMs } from './heartbeat.suite.ts'

const failure = new Error('The store is unavailable.')

describe('renewing', () => {
  test('[RUN-4] the lease is renewed when it is needed, and not again before the interval has passed', async () => {
    const { heartbeat, renew } = aHeartbeat()

    await Promise.all([heartbeat.ensure(), heartbeat.ensure()])
    expect(renew.mock.calls).toEqual([['a', leaseMs, undefined]])
    await pass(renewEveryMs - 1)
    await heartbeat.ensure()
    expect(renew).toHaveBeenCalledTimes(1)
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 1)
    onTestFinished(() => void now.mockRestore())
    await heartbeat.ensure()
    expect(renew).toHaveBeenCalledTimes(2)
  })

  test('[RUN-4] after its last use the lease is renewed for as long as a write may still arrive', async () => {
    const { heartbeat, renew } = aHeartbeat()
    heartbeat.use()

    await pass(recordSettlesMs - renewEveryMs)
    expect(renew).toHaveBeenCalledTimes(recordSettlesMs / renewEveryMs - 1)
    await pass(10 * renewEveryMs)
    expect(renew).toHaveBeenCalledTimes(recordSettlesMs / renewEveryMs - 1)
  })

  test('[RUN-4] the lease is renewed with every beat while something holds it', async () => {
    const { heartbeat, renew, held } = aHeartbeat()
    const [first, second] = [await held(), heartbeat.hold()]

    await pass(2 * recordSettlesMs)
    expect(renew).toHaveBeenCalledTimes((2 * recordSettlesMs) / renewEveryMs)
    first()
    first()
    renew.mockClear()
    await pass(2 * recordSettlesMs)
    expect(renew).toHaveBeenCalledTimes((2 * recordSettlesMs) / renewEveryMs)
    second()
    renew.mockClear()
    await pass(2 * recordSettlesMs)
    expect(renew).toHaveBeenCalledTimes(recordSettlesMs / renewEveryMs - 1)
  })

  test('[FLEET-18] a replica that is announced is renewed with its address from then on', async () => {
    const { heartbeat, renew } = aHeartbeat()

    await heartbeat.announce('http://a')
    expect(renew.mock.calls).toEqual([['a', leaseMs, 'http://a']])
    await pass(2 * recordSettlesMs)

    expect(renew).toHaveBeenCalledTimes((2 * recordSettlesMs) / renewEveryMs + 1)
    expect(renew).toHaveBeenLastCalledWith('a', leaseMs, 'http://a')
  })

  test.each([
    ['succeeds', () => Promise.resolve(true)],
    ['fails', () => Promise.reject(failure)],
  ])(
    '[FLEET-18] the address is stored also if a renewal without it is in progress, which then %s',
    async (_what, end) => {
      const { heartbeat, renew } = aHeartbeat()
      const { promise, resolve } = Promise.withResolvers<void>()
      renew.mockImplementationOnce(() => promise.then(end))
      const ensured = heartbeat.ensure().catch(() => undefined)
      const announced = heartbeat.announce('http://a')

      resolve()
      await Promise.all([ensured, announced])

      expect(renew.mock.calls.map(([, , address]) => address)).toEqual([undefined, 'http://a'])
    },
  )

  test('[RUN-4] after a renewal failed, the next use renews again', async () => {
    const { heartbeat, renew } = aHeartbeat()
    renew.mockRejectedValueOnce(failure)

    await expect(heartbeat.ensure()).rejects.toThrow(failure)
    await heartbeat.ensure()

    expect(renew).toHaveBeenCalledTimes(2)
  })
})

describe('closing', () => {
  test('[RUN-4] a replica that is closed ends its lease, and uses it no more', async () => {
    const { heartbeat, renew, end, held } = aHeartbeat()
    await held()

    await heartbeat.close()

    expect(end.mock.calls).toEqual([['a']])
    await pass(10 * renewEveryMs)
    expect(renew).not.toHaveBeenCalled()
    await expect(heartbeat.announce('http://a')).rejects.toThrow('This gateway has stopped.')
  })

  test('[RUN-4] a replica without a lease writes nothing when it is closed', async () => {
    const { heartbeat, end } = aHeartbeat()

    await heartbeat.close()

    expect(end).not.toHaveBeenCalled()
  })

  test.each([
    ['succeeds', () => Promise.resolve(true)],
    ['fails', () => Promise.reject(failure)],
  ])('[RUN-4] the lease ends after a renewal in progress, which then %s', async (_what, outcome) => {
    const { heartbeat, renew, end } = aHeartbeat()
    await heartbeat.ensure()
    await pass(renewEveryMs)
    const { promise, resolve } = Promise.withResolvers<void>()
    renew.mockImplementationOnce(() => promise.then(outcome))
    heartbeat.hold()
    await pass(renewEveryMs)

    const closed = heartbeat.close()
    await pass(0)
    expect(end).not.toHaveBeenCalled()
    resolve()
    await closed

    expect(end).toHaveBeenCalledTimes(1)
  })
})

describe('a lease that has ended', () => {
  test('[RUN-4] what others ended is dropped once, before the lease is used', async () => {
    const { heartbeat, state } = aHeartbeat()
    await heartbeat.ensure()
    const dropped: string[] = []
    heartbeat.onLapse(async () => void dropped.push('calls'))
    heartbeat.onLapse(async () => void dropped.push('asks'))

    await pass(renewEveryMs)
    await heartbeat.ensure()
    expect(dropped).toEqual([])
    state.wasValid = false
    await pass(renewEveryMs)
    await heartbeat.ensure()
    expect(dropped).toEqual(['calls', 'asks'])
    state.wasValid = true
    await pass(renewEveryMs)
    await heartbeat.ensure()
    expect(dropped).toHaveLength(2)
  })

  test('[RUN-4] a lease that was not renewed in time has ended, also if a late renewal arrived since', async () => {
    const { heartbeat, renew } = aHeartbeat()
    await heartbeat.ensure()
    let drops = 0
    heartbeat.onLapse(async () => {
      drops += 1
    })
    renew.mockRejectedValue(failure)
    await pass(leaseMs - 1)
    renew.mockReset().mockResolvedValue(true)

    await heartbeat.ensure()
    expect(drops).toBe(0)
    renew.mockRejectedValue(failure)
    await pass(leaseMs)
    renew.mockReset().mockResolvedValue(true)
    await heartbeat.ensure()
    expect(drops).toBe(1)
  })

  test('[RUN-4] a task that fails runs again with the next renewal', async () => {
    const { heartbeat, state } = aHeartbeat()
    await heartbeat.ensure()
    const task = vi.fn(async () => undefined).mockRejectedValueOnce(failure)
    heartbeat.onLapse(task)
    state.wasValid = false
    await pass(0)
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + renewEveryMs)
    onTestFinished(() => void now.mockRestore())
    await expect(heartbeat.ensure()).rejects.toThrow(failure)
    state.wasValid = true

    await heartbeat.ensure()

    expect(task).toHaveBeenCalledTimes(2)
  })
})

describe('steadiness', () => {
  test('[RUN-13] a replica is steady a whole lease after its first renewal, and not before', async () => {
    const { heartbeat, held } = aHeartbeat()
    expect(heartbeat.isSteady).toBe(false)
    await held()

    await pass(leaseMs - 1)
    expect(heartbeat.isSteady).toBe(false)
    await pass(1)
    expect(heartbeat.isSteady).toBe(true)
  })

  test('[RUN-13] a renewal that fails ends the steadiness for a whole lease', async () => {
    const { heartbeat, renew, errors, held } = aHeartbeat()
    await held()
    await pass(leaseMs)
    renew.mockRejectedValueOnce(failure)

    await pass(renewEveryMs)
    expect([heartbeat.isSteady, errors]).toEqual([false, [failure]])
    await pass(renewEveryMs + leaseMs - 1)
    expect(heartbeat.isSteady).toBe(false)
    await pass(1)
    expect(heartbeat.isSteady).toBe(true)
  })

  test('[RUN-13] a task that fails ends the steadiness for a whole lease', async () => {
    const { heartbeat, errors, held } = aHeartbeat()
    await held()
    await pass(leaseMs)
    heartbeat.onBeat(vi.fn(async () => undefined).mockRejectedValueOnce(failure))

    await pass(renewEveryMs)

    expect([heartbeat.isSteady, errors]).toEqual([false, [failure]])
    await pass(renewEveryMs + leaseMs - 1)
    expect(heartbeat.isSteady).toBe(false)
    await pass(1)
    expect(heartbeat.isSteady).toBe(true)
  })

  test('[RUN-13] a failed renewal outside of a beat ends the steadiness too', async () => {
    const { heartbeat, renew, held } = aHeartbeat()
    await held()
    await pass(leaseMs)
    renew.mockRejectedValueOnce(failure)

    await expect(heartbeat.announce('http://a')).rejects.toThrow(failure)

    expect(heartbeat.isSteady).toBe(false)
  })

  test('[RUN-13] a lease that is not in use is not steady', async () => {
    const { heartbeat, held } = aHeartbeat()
    const release = await held()
    await pass(leaseMs)
    release()

    await pass(recordSettlesMs)
    await heartbeat.ensure()

    expect(heartbeat.isSteady).toBe(false)
  })

  test('[RUN-13] a renewal that hangs ends the steadiness one interval before a lease can end', async () => {
    const { heartbeat, renew, held } = aHeartbeat()
    await held()
    await pass(leaseMs)
    renew.mockImplementationOnce(() => new Promise((resolve) => onTestFinished(() => resolve(true))))

    await pass(leaseMs - renewEveryMs - 1)
    expect(heartbeat.isSteady).toBe(true)
    await pass(1)
    expect(heartbeat.isSteady).toBe(false)
  })

  test('[RUN-13] with a long interval a replica is steady between two renewals', async () => {
    const { heartbeat } = aHeartbeat(5_000)
    heartbeat.hold()
    await pass(15_000)

    await pass(4_999)

    expect(heartbeat.isSteady).toBe(true)
  })

  test('[RUN-13] a machine that slept is not steady, neither before nor after its next beat', async () => {
    const { heartbeat, state, held } = aHeartbeat()
    await held()
    await pass(leaseMs)

    state.skewMs += leaseMs - 1
    expect(heartbeat.isSteady).toBe(true)
    state.skewMs += 1
    expect(heartbeat.isSteady).toBe(false)
    await pass(renewEveryMs)
    expect(heartbeat.isSteady).toBe(false)
    await pass(leaseMs)
    expect(heartbeat.isSteady).toBe(true)
  })
})

describe('tasks', () => {
  test('[RUN-4] tasks run with every beat, one after another', async () => {
    const { heartbeat } = aHeartbeat()
    const ran: string[] = []
    heartbeat.onBeat(async () => void ran.push('first'))
    heartbeat.onBeat(async () => void ran.push('second'))

    await pass(2 * renewEveryMs)

    expect(ran).toEqual(['first', 'second', 'first', 'second'])
  })

  test('[RUN-4] a task that takes long delays no renewal, and is not started twice', async () => {
    const { heartbeat, renew, held } = aHeartbeat()
    await held()
    const { promise, resolve } = Promise.withResolvers<void>()
    const task = vi.fn(() => promise)
    heartbeat.onBeat(task)

    await pass(3 * renewEveryMs)
    expect([task.mock.calls.length, renew.mock.calls.length]).toEqual([1, 3])
    resolve()
    await pass(renewEveryMs)
    expect(task).toHaveBeenCalledTimes(2)
  })

  test('[RUN-4] a task that failed runs again with the next beat', async () => {
    const { heartbeat, errors } = aHeartbeat()
    const task = vi.fn(() => Promise.reject(failure))
    heartbeat.onBeat(task)

    await pass(2 * renewEveryMs)

    expect([task.mock.calls.length, errors]).toEqual([2, [failure, failure]])
  })
})
