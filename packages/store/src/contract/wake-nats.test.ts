// Waking by NATS, and what is left when NATS is not: a real server behind a wire that a test can cut or deafen.

import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { Store } from '../index.ts'
import { aForm, ann, inEurope, minuteMs } from './drafts.suite.ts'
import { onPostgres, type Place } from './engines.suite.ts'

const natsUrl = new URL(process.env.ASSENT_TEST_NATS ?? 'nats://127.0.0.1:4222')

interface Wire {
  readonly url: string
  /** Connections that have been made through it. */
  readonly made: number
  /** From now on nothing that the server says arrives. */
  deafen(): void
  /** Breaks every connection. */
  cut(): void
  close(): void
}

/** A wire to the real server. */
async function aWire(): Promise<Wire> {
  const ends = new Set<Socket>()
  let isDeaf = false
  let made = 0
  const server = createServer((near) => {
    made++
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
      if (!isDeaf) near.write(bytes)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const cut = () => {
    for (const end of ends) end.destroy()
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    get made() {
      return made
    },
    deafen: () => {
      isDeaf = true
    },
    cut,
    close: () => {
      server.close()
      cut()
    },
  }
}

async function twoProcesses({ open }: Place, wake: string, pollMs: number) {
  const troubles: unknown[] = []
  const waiting = await open({ pollMs, wake, onTrouble: (error) => troubles.push(error) })
  const answering = await open({ wake: natsUrl.href })
  const { tenant, id } = await waiting.asks.raise(aForm())
  const answer = () => answering.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
  return { waiting, answering, tenant, id, answer, troubles }
}

test('[STORE-18] by NATS who waits is woken when another process settles, long before any poll', () =>
  onPostgres(async (place) => {
    const wire = await aWire()
    const { waiting, answering, tenant, id, answer } = await twoProcesses(place, wire.url, 10 * minuteMs)
    await warm(answering)
    const woken = waiting.asks.wait(tenant, id)
    await connected(waiting, wire)

    const startedAt = performance.now()
    await answer()

    expect((await woken)?.state).toMatchObject({ kind: 'settled', by: 'ann' })
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(await listeners(place)).toEqual([])
    wire.close()
  }))

test('[STORE-18] when NATS loses every message, the slow poll still wakes who waits', () =>
  onPostgres(async (place) => {
    const wire = await aWire()
    const { waiting, answering, tenant, id, answer } = await twoProcesses(place, wire.url, 200)
    await warm(answering)
    const woken = waiting.asks.wait(tenant, id)
    await connected(waiting, wire)
    wire.deafen()

    await answer()

    expect((await woken)?.state.kind).toBe('settled')
    wire.close()
  }))

test('[STORE-18] a NATS server that is away costs only delay, and is told about', () =>
  onPostgres(async (place) => {
    const { waiting, tenant, id, answer, troubles } = await twoProcesses(place, 'nats://127.0.0.1:9', 200)
    const woken = waiting.asks.wait(tenant, id)
    await answer()

    expect((await woken)?.state.kind).toBe('settled')
    await eventually(() => troubles.length > 0)
  }))

test('[STORE-18] what ended right after a wait began is found by its first poll, however late that comes', () =>
  onPostgres(async (place) => {
    // Longer than what a poll looks back by itself.
    const { waiting, tenant, id, answer } = await twoProcesses(place, 'nats://127.0.0.1:9', 6_500)
    const woken = waiting.asks.wait(tenant, id, { timeoutMs: 20_000 })
    await eventually(() => waiting.waiting > 0)
    // After the wait's own first look.
    await new Promise((resolve) => setTimeout(resolve, 300))
    await answer()

    const startedAt = performance.now()
    expect((await woken)?.state.kind).toBe('settled')
    expect(performance.now() - startedAt).toBeLessThan(15_000)
  }))

test('[STORE-18] after a break the connection comes back, and what was missed meanwhile is looked for', () =>
  onPostgres(async (place) => {
    const wire = await aWire()
    const { waiting, answering, tenant, id, answer, troubles } = await twoProcesses(place, wire.url, 10 * minuteMs)
    await warm(answering)
    const woken = waiting.asks.wait(tenant, id)
    await connected(waiting, wire)
    wire.cut()
    await answer()

    expect((await woken)?.state.kind).toBe('settled')
    expect(wire.made).toBeGreaterThan(1)
    expect(troubles.length).toBeGreaterThan(0)
    wire.close()
  }))

/** Its first signal opens the connection, and is lost with that. */
async function warm(store: Store): Promise<void> {
  const { tenant, id } = await store.asks.raise(aForm())
  const wait = store.asks.wait(tenant, id)
  await store.asks.withdraw(tenant, id, 'caller-gone')
  await wait
  await new Promise((resolve) => setTimeout(resolve, 500))
}

async function connected(store: Store, wire: Wire): Promise<void> {
  await eventually(() => store.waiting > 0 && wire.made > 0)
  // The subscription follows the connection by a round trip or two.
  await new Promise((resolve) => setTimeout(resolve, 500))
}

async function listeners({ tamper }: Place): Promise<unknown[]> {
  return tamper(`select pid from pg_stat_activity where query = 'listen "assent_' || current_schema() || '"'`)
}

async function eventually(isTrue: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 20_000
  while (!isTrue()) {
    if (performance.now() > giveUpAt) throw new Error('It did not happen within twenty seconds.')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
