import { expect, test } from 'vitest'
import { hasServices } from '../../../../test-kit/services.ts'
import type { Store } from '../index.ts'
import { aForm, anId, ann, inEurope, minuteMs } from './drafts.suite.ts'
import { onEachEngine, onPostgres, stoppedClock, type TestDb } from './engines.suite.ts'

// Only connections of this test's schema: other tests listen at the same time.
const isListening = `query = 'listen "assent_' || current_schema() || '"'`

async function twoProcesses(open: TestDb['open'], pollMs: number) {
  const [waiting, answering] = [await open({ pollMs }), await open()]
  const { tenant, id } = await waiting.asks.raise(aForm())
  const answer = () => answering.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
  return { waiting, answering, tenant, id, answer }
}

onEachEngine('[STORE-9] a waiter is notified when another process settles, long before any poll', async ({ open }) => {
  const { waiting, tenant, id, answer } = await twoProcesses(open, 10 * minuteMs)
  const waited = waiting.asks.wait(tenant, id)
  await listening(waiting)

  const startedAt = performance.now()
  await answer()

  expect((await waited)?.state).toMatchObject({ kind: 'settled', by: 'ann' })
  expect(performance.now() - startedAt).toBeLessThan(minuteMs)
})

onEachEngine('[STORE-9] a waiter is notified by its own process too', async ({ open }) => {
  const store = await open({ pollMs: 10 * minuteMs })
  const { tenant, id } = await store.asks.raise(aForm())
  const waited = [store.asks.wait(tenant, id), store.asks.wait(tenant, id)]
  await listening(store)

  await store.asks.withdraw(tenant, id, 'caller-gone')

  for (const ask of await Promise.all(waited)) expect(ask?.state.kind).toBe('withdrawn')
  expect(store.waiting).toBe(0)
})

onEachEngine('[STORE-9] an answer before the wait begins is not missed', async ({ open }) => {
  const { waiting, tenant, id, answer } = await twoProcesses(open, 10 * minuteMs)
  const answered = answer()

  expect((await waiting.asks.wait(tenant, id))?.state.kind).toBe('settled')
  await answered
})

onEachEngine(
  '[STORE-9] a process that waits for an ask it has just raised needs no read, and misses no answer',
  async ({ open }) => {
    const statements: string[] = []
    const waiting = await open({ pollMs: 10 * minuteMs, onStep: ({ name }) => statements.push(name) })
    const answering = await open()
    const { tenant, id } = await waiting.asks.raise(aForm(), undefined, 'replica')
    expect((await waiting.asks.wait(tenant, id, { timeoutMs: 100 }))?.state.kind).toBe('open')
    expect(statements.filter((name) => name === 'read_ask')).toEqual([])
    expect(waiting.waiting).toBe(0)

    for (const store of [waiting, answering]) {
      const ask = await waiting.asks.raise(aForm(), undefined, 'replica')
      await store.asks.answer({ tenant, id: ask.id, person: ann, via: 'inbox', answer: inEurope })
      expect((await waiting.asks.wait(tenant, ask.id))?.state.kind).toBe('settled')
    }
  },
)

test.skipIf(!hasServices)('[STORE-9] waits that begin and end while it connects share one listening connection', () =>
  onPostgres(async ({ open, tamper }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(aForm())
    const listeners = async () => (await tamper(`select pid from pg_stat_activity where ${isListening}`)).length
    for (let times = 0; times < 5; times++) await store.asks.wait(tenant, id, { timeoutMs: 1 })
    await expect.poll(listeners, { timeout: 60_000 }).toBeGreaterThan(0)
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(await listeners()).toBe(1)
  }),
)

test.skipIf(!hasServices)('[STORE-9] if every signal is lost, the slow poll still wakes the waiter (PostgreSQL)', () =>
  onPostgres(async ({ open, tamper }) => {
    const { waiting, tenant, id, answer } = await twoProcesses(open, 100)
    const waited = waiting.asks.wait(tenant, id)
    await listening(waiting)
    let isCutting = true
    const cutting = (async () => {
      while (isCutting) await terminateListeners(tamper)
    })()
    await answer()

    expect((await waited)?.state.kind).toBe('settled')
    isCutting = false
    await cutting
  }),
)

test.skipIf(!hasServices)(
  '[STORE-44] an answer whose commit takes eight seconds is found by the poll (PostgreSQL)',
  () =>
    onPostgres(async ({ open, tamper }) => {
      // Nothing listens at this address, so all signals are lost.
      const wake = 'nats://127.0.0.1:9'
      const waiting = await open({ pollMs: 100, wake })
      const answering = await open({ wake })
      const { tenant, id } = await waiting.asks.raise(aForm())
      const waited = waiting.asks.wait(tenant, id, { timeoutMs: 30_000 })
      await listening(waiting)
      await tamper(`create function slow() returns trigger language plpgsql as
      $$ begin if new.tenant = '${tenant}' then perform pg_sleep(8); end if; return new; end $$`)
      await tamper(`create constraint trigger slow after update on asks deferrable initially deferred
      for each row execute function slow()`)
      // The answering process stops waiting for its commit; the database commits later.
      const answered = answering.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
      answered.catch(() => undefined)

      // Later ends, of which the poll must not conclude that it has seen everything before them.
      const startedAt = performance.now()
      let isOver = false
      void waited.then(() => {
        isOver = true
      })
      while (!isOver) {
        const other = await answering.asks.raise(aForm({ tenant: 'other' }))
        await answering.asks.withdraw('other', other.id, 'caller-gone')
        await new Promise((resolve) => setTimeout(resolve, 200))
      }

      expect((await waited)?.state).toMatchObject({ kind: 'settled', by: 'ann' })
      expect(performance.now() - startedAt).toBeGreaterThan(7_000)
      expect(performance.now() - startedAt).toBeLessThan(20_000)
    }),
)

test.skipIf(!hasServices)('[STORE-9] a listener that lost its connection listens again (PostgreSQL)', () =>
  onPostgres(async ({ open, tamper }) => {
    const errors: unknown[] = []
    const waiting = await open({ pollMs: 10 * minuteMs, onError: (error) => errors.push(error) })
    const answering = await open()
    const { tenant, id } = await waiting.asks.raise(aForm())
    const waited = waiting.asks.wait(tenant, id)
    await listening(waiting)
    await eventually(async () => (await listeners(tamper)).length > 0)
    await terminateListeners(tamper)
    await eventually(async () => errors.length > 0 && (await listeners(tamper)).length > 0)

    await answering.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })

    expect((await waited)?.state.kind).toBe('settled')
  }),
)

onEachEngine('[STORE-9] a wait ends at the deadline of its ask', async ({ open }) => {
  const store = await open({ pollMs: 10 * minuteMs })
  const { tenant, id } = await store.asks.raise(aForm({ decideWithinMs: 1_000 }))

  expect((await store.asks.wait(tenant, id))?.state.kind).toBe('expired')
})

onEachEngine(
  '[STORE-9] a wait ends at its timeout or when its caller leaves, and the ask stays open',
  async ({ open }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(aForm())
    const caller = new AbortController()
    const abandoned = store.asks.wait(tenant, id, { signal: caller.signal })
    await listening(store)
    caller.abort()

    expect((await abandoned)?.state.kind).toBe('open')
    expect((await store.asks.wait(tenant, id, { timeoutMs: 20 }))?.state.kind).toBe('open')
    expect((await store.asks.wait(tenant, id, { signal: caller.signal }))?.state.kind).toBe('open')
    expect(await store.asks.wait(tenant, anId())).toBeUndefined()
    expect(store.waiting).toBe(0)
  },
)

onEachEngine(
  '[ASK-5] once recorded as expired, an ask is expired for every process, whatever its clock',
  async ({ open }) => {
    const hourMs = 60 * minuteMs
    const raising = await open({ clock: stoppedClock() })
    const { tenant, id } = await raising.asks.raise(aForm())
    const ahead = await open({ clock: stoppedClock(Date.UTC(2026, 6, 28, 12) + hourMs) })

    expect((await ahead.asks.read(tenant, id))?.state.kind).toBe('expired')
    expect(await ahead.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })).toMatchObject({
      kind: 'ended',
    })
    expect((await raising.asks.read(tenant, id))?.state.kind).toBe('expired')
  },
)

test.skipIf(!hasServices)('[STORE-12] without a test clock, the clock of the database is used (PostgreSQL)', () =>
  onPostgres(async ({ open, tamper }) => {
    const store = await open()
    const ask = await store.asks.raise(aForm())
    const [row] = (await tamper('select extract(epoch from clock_timestamp()) * 1000 as now')) as { now: string }[]

    expect(Math.abs(ask.raisedAtMs - Number(row?.now))).toBeLessThan(minuteMs)
    expect(ask.decideByMs - ask.raisedAtMs).toBe(10 * minuteMs)
  }),
)

async function listening(store: Store): Promise<void> {
  await eventually(async () => store.waiting > 0)
}

async function listeners(tamper: TestDb['tamper']): Promise<unknown[]> {
  return tamper(`select pid from pg_stat_activity where ${isListening} and state = 'idle'`)
}

/** Terminates the listening connections, as a broken network would. */
async function terminateListeners(tamper: TestDb['tamper']): Promise<void> {
  await tamper(`select pg_terminate_backend(pid) from pg_stat_activity where ${isListening}`)
}

async function eventually(isTrue: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + minuteMs
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) throw new Error('It did not happen within a minute.')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
