// Limits on open asks while many connections raise at once, with commits that take long, as with a synchronous standby.

import { type AskDraft, type OpenLimits, TooManyOpen } from '@assent/core'
import { expect, test, vi } from 'vitest'
import { retried, tookTooLong } from '../../../../test-kit/retried.ts'
import { hasServices } from '../../../../test-kit/services.ts'
import type { Store } from '../index.ts'
import { aForm, ann, inEurope } from './drafts.suite.ts'
import { onEachEngine, onPostgres, type TestDb } from './engines.suite.ts'

const plenty: OpenLimits = { perCaller: 10_000, perServer: 10_000, perTenant: 10_000, total: 100_000 }
const processes = 3
/** The connections of each process in `TestDb`. */
const connectionsEach = 4
const connections = processes * connectionsEach

/** Before each commit that raises an ask, the database runs this statement. */
async function beforeCommits({ tamper }: TestDb, statement: string): Promise<void> {
  await tamper(`create function before_commit() returns trigger language plpgsql as $$
    begin ${statement}; return null; end $$`)
  await tamper(`create constraint trigger before_commit after insert on asks deferrable initially deferred
    for each row execute function before_commit()`)
}

const slowCommits = (db: TestDb) => beforeCommits(db, 'perform pg_sleep(0.005)')

async function openIn({ tamper }: TestDb, condition = 'true'): Promise<number> {
  const [row] = await tamper(`select count(*) as open from asks where state = 'open' and ${condition}`)
  return Number((row as { open: number }).open)
}

async function connectionsOf({ tamper }: TestDb): Promise<number> {
  const [row] = await tamper(`select current_setting('max_connections') as most`)
  return Number((row as { most: string }).most)
}

function openAll(db: TestDb): Promise<Store[]> {
  return Promise.all(Array.from({ length: processes }, () => db.open()))
}

/** Of a person, to a server. */
function draftOf(caller: string, server: string): AskDraft {
  return aForm({
    principal: caller,
    asker: { server },
    approvalRule: { approvers: [`person:${caller}`], excluded: [], approvals: 1, declines: 1 },
  })
}

/**
 * `open`, or the name of the limit that was reached. A deadlock is an error, and so is a lock that another connection holds for a
 * second: a deadlock may end in this way.
 */
async function raised(store: Store, draft: AskDraft, atMost: OpenLimits): Promise<string> {
  try {
    return (await retried(() => store.asks.raise(draft, atMost), tookTooLong)).state.kind
  } catch (error) {
    if (error instanceof TooManyOpen) return error.limit
    throw error
  }
}

function raisedAtOnce(stores: readonly Store[], drafts: readonly AskDraft[], atMost: OpenLimits): Promise<string[]> {
  return Promise.all(drafts.map((draft, at) => raised(stores[at % stores.length] as Store, draft, atMost)))
}

function count(results: readonly string[], result: string): number {
  return results.filter((one) => one === result).length
}

const withServices = test.skipIf(!hasServices)

withServices(
  '[LIMIT-40] an ask waits for no commit of another caller, and a decision for none at all (PostgreSQL)',
  () =>
    onPostgres(async (db) => {
      const store = await db.open()
      const first = draftOf('ann', 'deploy')
      await store.asks.raise(first, plenty)
      await beforeCommits(db, `if new.principal = 'slow' then perform pg_advisory_xact_lock_shared(4711); end if`)
      await db.tamper('select pg_advisory_lock(4711)')
      let isCommitted = false
      const draft = draftOf('slow', 'deploy')
      const slow = retried(() => store.asks.raise(draft, plenty)).finally(() => {
        isCommitted = true
      })
      await vi.waitFor(async () => {
        const [row] =
          await db.tamper(`select count(*) as waiting from pg_locks where locktype = 'advisory' and not granted
        and objid = 4711`)
        expect(Number((row as { waiting: number }).waiting)).toBe(1)
      })

      await store.asks.raise(draftOf('ben', 'deploy'), plenty)
      await store.asks.raise(draftOf('cleo', 'other'), plenty)
      await store.asks.answer({ tenant: 'acme', id: first.id, person: ann, via: 'inbox', answer: inEurope })

      expect(isCommitted).toBe(false)
      await db.tamper('select pg_advisory_unlock(4711)')
      await slow
      expect(await openIn(db)).toBe(3)
    }),
)

withServices(
  '[LIMIT-41] the limit of a tenant is exceeded by at most one ask from each other connection (PostgreSQL)',
  () =>
    onPostgres(async (db) => {
      const stores = await openAll(db)
      await slowCommits(db)
      const atMost = { ...plenty, perTenant: 20 }
      for (let round = 1; round <= 3; round++) {
        const drafts = Array.from({ length: 100 }, (_, n) => draftOf(`p${n}-${round}`, `s${n % 5}`))
        const results = await raisedAtOnce(stores, drafts, atMost)

        const open = await openIn(db)
        expect(open).toBeGreaterThanOrEqual(20)
        expect(open).toBeLessThanOrEqual(20 + connections - 1)
        expect(count(results, 'open') + count(results, 'tenant')).toBe(100)
        await db.tamper(`update asks set state = 'withdrawn' where id in (
        select id from asks where state = 'open' limit ${open - 10})`)
      }
    }),
)

onEachEngine(
  '[LIMIT-42] the limit of all tenants is exceeded by at most 1 % and the asks being raised, per other process',
  async (db) => {
    const stores = await openAll(db)
    for (let n = 0; n < 280; n++) await stores[0]?.asks.raise(draftOf(`p${n}`, 'deploy'))
    const total = 300
    const atMost = { ...plenty, total }
    const raiseUntilRefused = async (store: Store, worker: string) => {
      for (let n = 0; n < 60; n++) {
        const result = await raised(store, { ...draftOf(`${worker}-${n}`, 'deploy'), tenant: worker }, atMost)
        if (result !== 'open') return result
      }
      return 'never refused'
    }
    const workers = stores.flatMap((store, at) =>
      Array.from({ length: connectionsEach }, (_, n) => raiseUntilRefused(store, `t${at}-${n}`)),
    )

    expect(new Set(await Promise.all(workers))).toEqual(new Set(['total']))
    const margin = (processes - 1) * (total * 0.01 + connectionsEach)
    expect(await openIn(db, '1 = 1')).toBeLessThanOrEqual(total + margin)
    expect(await openIn(db, '1 = 1')).toBeGreaterThan(280)
  },
)

withServices('[LIMIT-43] the limit of a server is reached exactly, from far below it (PostgreSQL)', () =>
  onPostgres(async (db) => {
    const stores = await openAll(db)
    await slowCommits(db)
    // Below this many from the limit, asks are raised side by side; above it, one after the other.
    const perServer = (await connectionsOf(db)) + 30
    const drafts = Array.from({ length: perServer + 40 }, (_, n) => draftOf(`p${n}`, 'deploy'))

    const results = await raisedAtOnce(stores, drafts, { ...plenty, perServer })

    expect(await openIn(db)).toBe(perServer)
    expect(count(results, 'server')).toBe(40)
  }),
)

withServices.each([
  // 6 callers and 4 servers: the one or the other limit is reached first.
  { perCaller: 9, perServer: 15, open: 54, reached: 'caller' },
  { perCaller: 12, perServer: 9, open: 36, reached: 'server' },
])(
  '[LIMIT-43] callers and servers that cross reach the limit of a $reached exactly, without a deadlock (PostgreSQL)',
  (of) =>
    onPostgres(async (db) => {
      const stores = await openAll(db)
      await slowCommits(db)
      // Every pair, ten times.
      const drafts = Array.from({ length: 240 }, (_, n) => draftOf(`c${n % 6}`, `s${Math.floor(n / 6) % 4}`))

      const results = await raisedAtOnce(stores, drafts, {
        ...plenty,
        perCaller: of.perCaller,
        perServer: of.perServer,
      })

      expect(count(results, 'open')).toBe(of.open)
      expect(await openIn(db)).toBe(of.open)
      expect(results).toContain(of.reached)
      for (let n = 0; n < 6; n++) expect(await openIn(db, `principal = 'c${n}'`)).toBeLessThanOrEqual(of.perCaller)
      for (let n = 0; n < 4; n++) expect(await openIn(db, `server = 's${n}'`)).toBeLessThanOrEqual(of.perServer)
    }),
)
