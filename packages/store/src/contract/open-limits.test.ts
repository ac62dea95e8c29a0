import { type AskDraft, type OpenLimits, TooManyOpen } from '@assent/core'
import { expect, test } from 'vitest'
import { retried } from '../../../../test-kit/retried.ts'
import { hasServices } from '../../../../test-kit/services.ts'
import type { Store } from '../index.ts'
import { aForm, ann, ben, inEurope, minuteMs } from './drafts.suite.ts'
import { onEachEngine, onPostgres, onSqlite, stoppedClock, type TestDb } from './engines.suite.ts'

const plenty: OpenLimits = { perCaller: 1_000, perServer: 1_000, perTenant: 1_000, total: 1_000 }

const countOpen = `select count(*) as open from asks where state = 'open'`

async function openIn({ tamper }: TestDb): Promise<number> {
  const [row] = await tamper(countOpen)
  return Number((row as { open: number }).open)
}

/** The state of the raised ask, or the name of the limit that was reached. */
async function raised(store: Store, draft: AskDraft, atMost: OpenLimits): Promise<string> {
  try {
    return (await retried(() => store.asks.raise(draft, atMost))).state.kind
  } catch (error) {
    if (error instanceof TooManyOpen) return error.limit
    throw error
  }
}

const ofBen = {
  principal: 'ben',
  approvalRule: { approvers: ['person:ben'], excluded: [], approvals: 1, declines: 1 },
} as const

onEachEngine('[STORE-36] an ask beyond the limit of its caller, server or tenant is not raised', async (db) => {
  const store = await db.open()
  const elsewhere = { asker: { server: 'other' } }
  const all = (atMost: Partial<OpenLimits>) => ({ ...plenty, ...atMost })
  await store.asks.raise(aForm(), plenty)
  await store.asks.raise(aForm(elsewhere), plenty)

  expect(await raised(store, aForm(), all({ perCaller: 2 }))).toBe('caller')
  expect(await raised(store, aForm(ofBen), all({ perCaller: 2, perServer: 1 }))).toBe('server')
  expect(await raised(store, aForm({ ...ofBen, ...elsewhere }), all({ perTenant: 2 }))).toBe('tenant')
  expect(await openIn(db)).toBe(2)
  // Other callers are not affected, and refused asks leave no audit entry.
  expect(await raised(store, aForm(ofBen), all({ perCaller: 1, perServer: 2, perTenant: 3 }))).toBe('open')
  expect(await raised(store, aForm({ tenant: 'other' }), all({ perCaller: 1, perServer: 1, perTenant: 1 }))).toBe(
    'open',
  )
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 3 })
})

onEachEngine('[STORE-36] an answer, a withdrawal and an expiry each make room', async (db) => {
  const clock = stoppedClock()
  const store = await db.open({ clock })
  const two: OpenLimits = { ...plenty, perServer: 2, perTenant: 2 }
  const [first, second] = [aForm(), aForm({ decideWithinMs: minuteMs })]
  await store.asks.raise(first, two)
  await store.asks.raise(second, two)
  const next = () => raised(store, aForm(), two)

  expect(await next()).toBe('server')
  await store.asks.answer({ tenant: 'acme', id: first.id, person: ann, via: 'inbox', answer: inEurope })
  expect([await next(), await next()]).toEqual(['open', 'server'])
  // Expired by the clock only: its row is not marked yet.
  clock.advance(minuteMs)
  const last = aForm()
  expect([await raised(store, last, two), await next()]).toEqual(['open', 'server'])
  await store.asks.withdraw('acme', last.id, 'caller-gone')
  expect([await next(), await next()]).toEqual(['open', 'server'])
})

onEachEngine('[STORE-36] raising the same ask again returns it, even at the limit', async (db) => {
  const store = await db.open()
  const one: OpenLimits = { perCaller: 1, perServer: 1, perTenant: 1, total: 1 }
  const draft = aForm()
  const first = await store.asks.raise(draft, one)

  expect(await store.asks.raise(draft, one)).toEqual(first)
  expect(await raised(store, aForm(), one)).toMatch(/caller|total/)
})

onEachEngine('[STORE-36] asks raised without limits count too', async (db) => {
  const store = await db.open()
  const three: OpenLimits = { ...plenty, perTenant: 3, perServer: 3 }
  await store.asks.raise(aForm(), three)
  await store.asks.raise(aForm())
  await store.asks.raise(aForm())

  expect(await raised(store, aForm(), three)).toBe('server')
})

/** Three processes that raise at once reach a limit and never exceed it. */
function race(name: string, limit: Partial<OpenLimits>): (db: TestDb) => Promise<void> {
  return async (db) => {
    const stores = await Promise.all([db.open(), db.open(), db.open()])
    const atMost = { ...plenty, ...limit }
    for (let round = 0; round < 5; round++) {
      const drafts = Array.from({ length: 30 }, () => aForm())
      const all = await Promise.all(
        drafts.map((draft, at) => raised(stores[at % 3] as Store, draft, atMost).then((how) => ({ draft, how }))),
      )
      const open = all.filter(({ how }) => how === 'open')

      expect(await openIn(db)).toBe(7)
      expect(open).toHaveLength(round === 0 ? 7 : 3)
      expect(new Set(all.map(({ how }) => how))).toEqual(new Set(['open', name]))
      for (const { draft } of open.slice(0, 3))
        await (stores[round % 3] as Store).asks.withdraw('acme', draft.id, 'caller-gone')
    }
  }
}

onEachEngine(
  '[STORE-36] three processes that raise at once reach the limit of a caller and never exceed it',
  race('caller', { perCaller: 7 }),
)

onEachEngine(
  '[STORE-36] three processes that raise at once reach the limit of a server and never exceed it',
  race('server', { perServer: 7 }),
)

// On PostgreSQL with a margin: see open-limits-at-once.test.ts.
test('[STORE-36] three processes that raise at once reach the limit of a tenant and never exceed it (SQLite)', () =>
  onSqlite(race('tenant', { perTenant: 7 })))

onEachEngine('[STORE-36] answers at the same moment make room for exactly as many asks', async (db) => {
  const stores = await Promise.all([db.open(), db.open(), db.open()])
  const atMost = { ...plenty, perCaller: 5 }
  const open: AskDraft[] = Array.from({ length: 5 }, () => aForm())
  for (const draft of open) await (stores[0] as Store).asks.raise(draft, atMost)
  const working = Array.from({ length: 60 }, async (_, at) => {
    const store = stores[at % 3] as Store
    const next = aForm()
    if (at % 2 === 0 && (await raised(store, next, atMost)) === 'open') open.push(next)
    const done = at % 2 === 1 ? open.shift() : undefined
    if (done !== undefined) await retried(() => store.asks.withdraw('acme', done.id, 'caller-gone'))
  })
  let isDone = false
  const worked = Promise.all(working).finally(() => {
    isDone = true
  })
  let most = 0
  while (!isDone) most = Math.max(most, await openIn(db))
  await worked

  expect(most).toBeLessThanOrEqual(5)
})

onEachEngine(
  '[STORE-36] the limit for all tenants is enforced too, and a process counts its own asks at once',
  async (db) => {
    const store = await db.open()
    const atMost = { ...plenty, total: 4 }
    const tenants = ['a', 'b', 'c', 'd', 'e', 'f']

    const first = []
    for (const tenant of tenants) first.push(await raised(store, aForm({ tenant }), atMost))
    expect(first).toEqual(['open', 'open', 'open', 'open', 'total', 'total'])

    // Another process counts the open asks before it raises its first one.
    const other = await db.open()
    expect(await raised(other, aForm({ tenant: 'g', ...ofBen }), atMost)).toBe('total')
    const { asks } = await store.inbox.page({ tenant: 'a', person: ann, show: 'open' })
    await store.asks.withdraw('a', asks[0]?.id ?? '', 'caller-gone')
    await new Promise((resolve) => setTimeout(resolve, 150))
    expect(await raised(other, aForm({ tenant: 'g', ...ofBen }), atMost)).toBe('open')
    expect((await other.inbox.page({ tenant: 'g', person: ben, show: 'open' })).asks).toHaveLength(1)
  },
)

test.skipIf(!hasServices)('[STORE-36] counting the asks of one caller or server reads no others (PostgreSQL)', () =>
  onPostgres(async ({ open, tamper }) => {
    const store = await open()
    await store.asks.raise(aForm(), plenty)
    // Like a database without table statistics, so that the planner has only the query itself.
    await tamper(`
      insert into asks select (jsonb_populate_record(a, jsonb_build_object(
        'id', a.id || n, 'principal', 'p' || n, 'server', 's' || n))).*
      from asks a, generate_series(1, 5000) n`)
    const readSoFar = async () => {
      await tamper('select pg_stat_force_next_flush()')
      const [row] = await tamper(`
        select sum(idx_tup_read)::int as read from pg_stat_user_indexes
        where schemaname = current_schema() and relname = 'asks'`)
      return (row as { read: number }).read
    }
    const count = (caller: string, server: string) =>
      tamper(`select full_for('acme', '${caller}', '${server}', 0, 100, 100, 1000000)`)
    const before = await readSoFar()

    for (const n of [1, 2_500, 4_999]) await count(`p${n}`, 'nobody')
    const ofCallers = await readSoFar()
    for (const n of [1, 2_500, 4_999]) await count('nobody', `s${n}`)

    expect(ofCallers - before).toBeLessThan(20)
    expect((await readSoFar()) - ofCallers).toBeLessThan(20)
  }),
)
