import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { HealthCheck, type HealthConnection } from './health-check.ts'

const startMs = 1_000_000
/** Longer than the pause between two checks. */
const pauseMs = 2_500

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
})

/** A connection whose answers the test gives. */
function aConnection() {
  const queries: PromiseWithResolvers<number | undefined>[] = []
  const connection: HealthConnection = {
    isOpen: true,
    readTime: () => {
      const query = Promise.withResolvers<number | undefined>()
      queries.push(query)
      return query.promise
    },
    drop: () => queries.at(-1)?.reject(new Error('dropped')),
  }
  return { connection, queries }
}

async function aHealthCheck() {
  const { connection, queries } = aConnection()
  let unavailable = 0
  const health = new HealthCheck({ connection, onUnavailable: () => unavailable++, onError: () => undefined })
  onTestFinished(() => health.close())
  const nextQuery = async () => {
    const before = queries.length
    while (queries.length === before) await vi.advanceTimersByTimeAsync(10)
    return queries.at(-1)
  }
  const answerNext = async (nowMs: () => number | undefined) => {
    const query = await nextQuery()
    query?.resolve(nowMs())
    await vi.advanceTimersByTimeAsync(0)
  }
  const starting = health.start()
  queries.at(-1)?.resolve(startMs)
  await starting
  return { health, nextQuery, answerNext, unavailable: () => unavailable }
}

test('[FLEET-11] a clock jump is ignored until a second sample confirms it', async () => {
  const { health, answerNext } = await aHealthCheck()
  const isAbout = (ms: number) => Math.abs((health.nowMs ?? 0) - ms) < 60_000
  const jumpedMs = () => 500_000_000 + performance.now()

  expect(isAbout(startMs)).toBe(true)
  await answerNext(() => 900_000_000)
  expect(isAbout(startMs)).toBe(true)
  await answerNext(() => Number.NaN)
  expect(isAbout(startMs)).toBe(true)
  await answerNext(jumpedMs)
  expect(isAbout(startMs)).toBe(true)
  await answerNext(jumpedMs)
  expect(isAbout(500_000_000)).toBe(true)
})

test('[FLEET-11] a sample with a long round trip moves no deadline, whenever the clock was read', async () => {
  const { health, nextQuery } = await aHealthCheck()
  const offsetMs = (health.nowMs ?? 0) - performance.now()
  const truthMs = () => performance.now() + offsetMs

  const query = await nextQuery()
  await vi.advanceTimersByTimeAsync(800)
  query?.resolve(truthMs())
  await vi.advanceTimersByTimeAsync(0)

  expect(health.nowMs).toBe(truthMs())
})

test('[FLEET-11] the time to open the connection does not count as round-trip time', async () => {
  const connection: HealthConnection = {
    isOpen: false,
    readTime: async (onSent) => {
      await new Promise((resolve) => setTimeout(resolve, 2_000))
      onSent()
      return performance.now() + startMs
    },
    drop: () => undefined,
  }
  const health = new HealthCheck({ connection, onUnavailable: () => undefined, onError: () => undefined })
  onTestFinished(() => health.close())
  const starting = health.start()
  await vi.advanceTimersByTimeAsync(pauseMs)
  await starting

  expect(health.nowMs).toBe(performance.now() + startMs)
})

test('[FLEET-10] an error from the database counts as an answer: statements continue to wait', async () => {
  const { health, answerNext, unavailable } = await aHealthCheck()
  const work = Promise.withResolvers<string>()
  const watched = health.watch(() => work.promise, true)
  await answerNext(() => undefined)
  await answerNext(() => undefined)
  work.resolve('done')

  expect(await watched).toBe('done')
  expect(unavailable()).toBe(0)
})

test('[STORE-33] a check that ends after the close changes nothing, although a statement still waits', async () => {
  const { health, nextQuery, unavailable } = await aHealthCheck()
  void health.watch(() => new Promise(() => undefined), true)
  await nextQuery()

  health.close()
  await vi.advanceTimersByTimeAsync(1_000)

  expect(unavailable()).toBe(0)
})
