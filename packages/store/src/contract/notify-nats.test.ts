// Notifications over NATS, and without it: a real server behind a proxy that can break connections or drop its messages.

import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { Store } from '../index.ts'
import { aForm, ann, inEurope, minuteMs } from './drafts.suite.ts'
import { onPostgres, type TestDb } from './engines.suite.ts'

const natsUrl = new URL(process.env.ASSENT_TEST_NATS ?? 'nats://127.0.0.1:4222')

interface NatsProxy {
  readonly url: string
  /** Connections opened through it. */
  readonly opened: number
  /** From now on drops everything that the server sends. */
  dropMessages(): void
  /** Breaks every connection. */
  disconnect(): void
  close(): void
}

/** A proxy to the real server. */
async function aNatsProxy(): Promise<NatsProxy> {
  const ends = new Set<Socket>()
  let isDropping = false
  let opened = 0
  const server = createServer((near) => {
    opened++
    const far = connect(Number(natsUrl.port), natsUrl.hostname)
    for (const end of [near, far]) {
      ends.add(end)
      end.on('error', () => undefined)
      end.on('close', () => {
        near.destroy()
        far.destroy()
        ends.delete(end)
      })
    }
    near.pipe(far)
    far.on('data', (bytes) => {
      if (!isDropping) near.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const disconnect = () => {
    for (const end of ends) end.destroy()
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    get opened() {
      return opened
    },
    dropMessages: () => {
      isDropping = true
    },
    disconnect,
    close: () => {
      server.close()
      disconnect()
    },
  }
}

async function twoProcesses({ open }: TestDb, wake: string, pollMs: number) {
  const errors: unknown[] = []
  const waiting = await open({ pollMs, wake, onError: (error) => errors.push(error) })
  const answering = await open({ wake: natsUrl.href })
  const { tenant, id } = await waiting.asks.raise(aForm())
  const answer = () => answering.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
  return { waiting, answering, tenant, id, answer, errors }
}

test('[STORE-18] over NATS a waiter is notified when another process settles, long before any poll', () =>
  onPostgres(async (db) => {
    const proxy = await aNatsProxy()
    const { waiting, answering, tenant, id, answer } = await twoProcesses(db, proxy.url, 10 * minuteMs)
    const waited = waiting.asks.wait(tenant, id)
    await connected(answering, waiting)

    const startedAt = performance.now()
    await answer()

    expect((await waited)?.state).toMatchObject({ kind: 'settled', by: 'ann' })
    expect(performance.now() - startedAt).toBeLessThan(minuteMs)
    expect(await listeners(db)).toEqual([])
    proxy.close()
  }))

test('[STORE-45] over NATS a process receives neither its own signals nor those of tenants that it does not wait for', () =>
  onPostgres(async (db) => {
    const { waiting, answering, tenant, id, answer } = await twoProcesses(db, natsUrl.href, 10 * minuteMs)
    const waited = waiting.asks.wait(tenant, id)
    await connected(answering, waiting)
    await answering.asks.wait(tenant, id, { timeoutMs: 100 })
    const received = () => [waiting.notifications.received, answering.notifications.received]
    const pause = () => new Promise((resolve) => setTimeout(resolve, 300))
    await pause()
    const before = received()

    await answering.asks.raise(aForm({ tenant: 'other' }))
    await pause()
    expect(received()).toEqual(before)
    await answering.asks.raise(aForm())
    await pause()
    expect(received()).toEqual([(before[0] ?? 0) + 1, before[1]])

    await answer()
    await waited
  }))

test('[STORE-18] if NATS loses every message, the slow poll still wakes the waiter', () =>
  onPostgres(async (db) => {
    const proxy = await aNatsProxy()
    const { waiting, answering, tenant, id, answer } = await twoProcesses(db, proxy.url, 200)
    const waited = waiting.asks.wait(tenant, id)
    await connected(answering, waiting)
    proxy.dropMessages()

    await answer()

    expect((await waited)?.state.kind).toBe('settled')
    proxy.close()
  }))

test('[STORE-18] an unavailable NATS server only causes a delay, and is reported', () =>
  onPostgres(async (db) => {
    const { waiting, tenant, id, answer, errors } = await twoProcesses(db, 'nats://127.0.0.1:9', 200)
    const waited = waiting.asks.wait(tenant, id)
    await answer()

    expect((await waited)?.state.kind).toBe('settled')
    await eventually(() => errors.length > 0)
  }))

test('[STORE-18] an ask that ends right after a wait began is found by the first poll, however late', () =>
  onPostgres(async (db) => {
    // Longer than the period that a poll looks back by default.
    const { waiting, tenant, id, answer } = await twoProcesses(db, 'nats://127.0.0.1:9', 6_500)
    const waited = waiting.asks.wait(tenant, id, { timeoutMs: 100_000 })
    await eventually(() => waiting.waiting > 0)
    // After the first read of the wait.
    await new Promise((resolve) => setTimeout(resolve, 300))
    await answer()

    const startedAt = performance.now()
    expect((await waited)?.state.kind).toBe('settled')
    expect(performance.now() - startedAt).toBeLessThan(minuteMs)
  }))

test('[STORE-18] after a break the connection is restored, and missed changes are found', () =>
  onPostgres(async (db) => {
    const proxy = await aNatsProxy()
    const { waiting, answering, tenant, id, answer, errors } = await twoProcesses(db, proxy.url, 10 * minuteMs)
    const waited = waiting.asks.wait(tenant, id)
    await connected(answering, waiting)
    proxy.disconnect()
    await answer()

    expect((await waited)?.state.kind).toBe('settled')
    expect(proxy.opened).toBeGreaterThan(1)
    expect(errors.length).toBeGreaterThan(0)
    proxy.close()
  }))

/** Until both are connected, signals of the first do not reach the second. */
async function connected(from: Store, to: Store): Promise<void> {
  const before = to.notifications.received
  await eventually(async () => {
    await from.asks.raise(aForm())
    return to.notifications.received > before
  })
}

async function listeners({ tamper }: TestDb): Promise<unknown[]> {
  return tamper(`select pid from pg_stat_activity where query = 'listen "assent_' || current_schema() || '"'`)
}

async function eventually(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + minuteMs
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) throw new Error('It did not happen within a minute.')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
