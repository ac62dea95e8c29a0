import { expect, onTestFinished, test } from 'vitest'
import { serverLimits, setLimits } from '../../limits.ts'
import { sampleCall, sampleWires } from './sample-wire.suite.ts'
import type { Session } from './session.ts'
import { SessionPool } from './session-pool.ts'

function aPool(perCall: number | undefined = 1, wiring: Parameters<typeof sampleWires>[0] = {}) {
  const { open, wires } = sampleWires(wiring)
  return { pool: new SessionPool(open, { perCall, onStray: () => undefined }), wires }
}

async function taken(pool: SessionPool, signal?: AbortSignal): Promise<Session> {
  const session = await pool.take(sampleCall(signal))
  if (session === undefined) throw new Error('The pool returned no session.')
  return session
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('[SHARE-8] an idle session that has ended keeps no place', async () => {
  const { pool, wires } = aPool()
  const first = await taken(pool)
  pool.giveBack(first)
  wires[0]?.end()

  const second = await taken(pool)

  expect(second).not.toBe(first)
  expect(second.isOpen).toBe(true)
  expect(wires).toHaveLength(2)
})

test('[SHARE-8] all idle sessions that have ended are dropped, also when the limit is not reached', async () => {
  const { pool, wires } = aPool(2)
  const both = [await taken(pool), await taken(pool)]
  for (const session of both) pool.giveBack(session)
  for (const wire of wires) wire.end()

  await Promise.all([taken(pool), taken(pool)])

  expect(wires.map(({ isClosed }) => isClosed)).toEqual([true, true, false, false])
})

test('[SHARE-8] a waiting call gets a new session when one in use has ended and is given back', async () => {
  const { pool, wires } = aPool()
  const first = await taken(pool)
  const waiting = taken(pool)
  await settled()
  wires[0]?.end()
  pool.giveBack(first)

  expect((await waiting).isOpen).toBe(true)
  expect(wires).toHaveLength(2)
})

test('[SHARE-8] a waiting call whose caller leaves frees its place in the queue, and the next one gets the session', async () => {
  onTestFinished(setLimits(serverLimits, { waitingCalls: 2 }))
  const { pool, wires } = aPool()
  const session = await taken(pool)
  const leaving = new AbortController()
  const left = pool.take(sampleCall(leaving.signal))
  const second = taken(pool)
  await settled()
  await expect(taken(pool)).rejects.toThrow('Too many calls are waiting')

  leaving.abort()
  expect(await left).toBeUndefined()
  const third = taken(pool)
  pool.giveBack(session)
  expect(await second).toBe(session)
  pool.giveBack(session)
  expect(await third).toBe(session)
  expect(wires).toHaveLength(1)
})

test('[SHARE-8] a call that got a place at the moment when its caller left passes the place on', async () => {
  const { pool } = aPool()
  const session = await taken(pool)
  const leaving = new AbortController()
  const left = pool.take(sampleCall(leaving.signal))
  const next = taken(pool)
  await settled()

  pool.giveBack(session)
  leaving.abort()

  expect(await left).toBeUndefined()
  expect(await next).toBe(session)
})

test.each([
  ['its own', 1],
  ['the shared', undefined],
])('[SHARE-9] a caller that leaves while %s session opens gets none, and the next call gets it', async (_, perCall) => {
  const { pool, wires } = aPool(perCall, { opens: () => false })
  const leaving = new AbortController()
  const left = pool.take(sampleCall(leaving.signal))
  await settled()
  leaving.abort()
  wires[0]?.finishOpening()

  expect(await left).toBeUndefined()
  expect(pool.isIdle).toBe(true)
  expect((await taken(pool)).isOpen).toBe(true)
  expect(wires).toHaveLength(1)
})

test('[SHARE-9] a session that was being opened when the pool closed is closed, and no call waits any longer', async () => {
  const { pool, wires } = aPool(1, { opens: () => false })
  const opening = expect(taken(pool)).rejects.toThrow('The connection was closed.')
  const waiting = expect(taken(pool)).rejects.toThrow('The connection was closed.')
  await settled()
  pool.close()
  wires[0]?.finishOpening()

  await Promise.all([opening, waiting])
  await settled()
  expect(wires.map(({ isClosed }) => isClosed)).toEqual([true])
  await expect(taken(pool)).rejects.toThrow('The connection was closed.')
})
