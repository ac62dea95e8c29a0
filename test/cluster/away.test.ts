// A database that does not answer: callers get an error soon, and everything works again when it is back.

import { randomBytes } from 'node:crypto'
import { createKeyRing, newId, soleApprover } from '@assent/core'
import { openPostgres, type PostgresStoreOptions, type Store } from '@assent/store'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Link, type Way } from '../../test-kit/faulty-link.ts'
import { postgresUrl as database } from '../../test-kit/postgres.ts'
import { Stopwatch } from '../../test-kit/stopwatch.ts'

const keys = createKeyRing([{ id: 'test', secret: randomBytes(32) }])
/** The promised two seconds, and a margin for a busy machine. */
const soonMs = 2_000 + 2_000

interface Scene {
  readonly store: Store
  readonly link: Link
  readonly schema: string
  close(): Promise<void>
}

async function aStore(options: Partial<PostgresStoreOptions> = {}): Promise<Scene> {
  const schema = `t_${randomBytes(8).toString('hex')}`
  // The link ends no silent connection during a test: the server must notice it by itself.
  const link = await Link.to(database, 5432, { slowMs: { least: 150, most: 150 }, silentCloseMs: 600_000 })
  const store = await openPostgres(link.through(database), { keys, schema, connections: 3, ...options })
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= store.close()
    return closing
  }
  onTestFinished(async () => {
    await close()
    await link.close()
    await withAdmin((admin) => admin.query(`drop schema ${schema} cascade`))
  })
  return { store, link, schema, close }
}

async function withAdmin<Value>(work: (admin: pg.Client) => Promise<Value>, schema = 'public'): Promise<Value> {
  const admin = new pg.Client({ connectionString: database, options: `-c search_path=${schema}` })
  await admin.connect()
  return work(admin).finally(() => admin.end())
}

function aQuestion() {
  return {
    tenant: 'default',
    id: newId('ask', Date.now(), randomBytes),
    asker: { server: 'deploy' },
    principal: 'ann',
    question: { kind: 'url', message: 'Sign in.', url: 'https://example.com/' },
    approvalRule: soleApprover('ann'),
    decideWithinMs: 600_000,
    useWithinMs: 600_000,
  } as const
}

async function timed(work: Promise<unknown>): Promise<{ ms: number; error: unknown }> {
  const stopwatch = new Stopwatch()
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  stopwatch.stop()
  return { ms: stopwatch.ms, error }
}

async function eventually(isTrue: () => Promise<boolean>, withinMs = 60_000): Promise<void> {
  const giveUpAt = performance.now() + withinMs
  while (!(await isTrue())) {
    if (performance.now() > giveUpAt) throw new Error(`It did not happen within ${withinMs} ms.`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const isBack = (store: Store) => () =>
  store.asks.read('default', 'none').then(
    () => true,
    () => false,
  )

describe('a database that does not answer', () => {
  test.each<Way>(['hanging', 'half-open', 'down'])(
    '[FLEET-10] is detected within two seconds when it is %s, and further requests fail at once',
    async (way) => {
      const { store, link } = await aStore()
      const ask = await store.asks.raise(aQuestion())
      await link.fail(way)

      // More requests than connections, so that some wait for a connection.
      const first = await Promise.all(Array.from({ length: 8 }, () => timed(store.asks.read('default', ask.id))))
      const next = await timed(store.asks.raise(aQuestion()))

      for (const { ms, error } of [...first, next]) {
        expect(error).toMatchObject({ code: 'store_unavailable' })
        expect(ms).toBeLessThan(soonMs)
      }
      expect(next.ms).toBeLessThan(500)
      await link.restore()
      await eventually(isBack(store))
      expect((await store.asks.read('default', ask.id))?.state.kind).toBe('open')
    },
  )

  test('[FLEET-10] gets no statement whose caller has timed out, once it is back', async () => {
    const { store, link } = await aStore({ connections: 1 })
    await store.asks.raise(aQuestion())
    await link.fail('hanging')
    const late = Array.from({ length: 5 }, () => aQuestion())

    await Promise.all(late.map((one) => timed(store.asks.raise(one))))
    await link.restore()
    await eventually(isBack(store))

    const kept = await Promise.all(late.map(({ id }) => store.asks.read('default', id)))
    // The first one was sent, so it may have arrived. The others were queued behind it.
    expect(kept.slice(1)).toEqual([undefined, undefined, undefined, undefined])
  })

  test('[FLEET-10] an unparsable reply is an error, and neither ends the process nor leaves a caller waiting', async () => {
    const { store, link } = await aStore()
    const ask = await store.asks.raise(aQuestion())
    await link.fail('garbage')

    const all = await Promise.all(Array.from({ length: 40 }, async () => timed(store.asks.read('default', ask.id))))

    const failed = all.filter(({ error }) => error !== undefined)
    expect(failed.length).toBeGreaterThan(0)
    for (const { ms, error } of failed) {
      expect(error).toMatchObject({ code: 'store_unavailable' })
      expect(ms).toBeLessThan(2 * soonMs)
    }
    await link.restore()
    await eventually(isBack(store))
  })

  test('[FLEET-10] a table that another session keeps locked is treated the same', async () => {
    const { store, schema } = await aStore()
    const ask = await store.asks.raise(aQuestion())
    await withAdmin(async (locker) => {
      await locker.query('begin; lock table asks in access exclusive mode')

      const first = await timed(store.asks.read('default', ask.id))
      const next = await timed(store.asks.read('default', ask.id))

      expect([first.error, next.error]).toMatchObject([{ code: 'store_unavailable' }, { code: 'store_unavailable' }])
      expect(first.ms).toBeLessThan(soonMs)
      expect(next.ms).toBeLessThan(soonMs)
    }, schema)
    await eventually(isBack(store))
  })

  test('[FLEET-10] one slow statement does not make the others fail', async () => {
    const { store, schema } = await aStore()
    const [locked, other] = [await store.asks.raise(aQuestion()), await store.asks.raise(aQuestion())]
    await withAdmin(async (locker) => {
      await locker.query('begin')
      await locker.query('select from asks where id = $1 for update', [locked.id])
      const stuck = timed(store.asks.withdraw('default', locked.id, 'caller-gone'))
      let reads = 0
      const stopwatch = new Stopwatch()
      for (; stopwatch.ms < 1_500; reads++)
        expect((await store.asks.read('default', other.id))?.state.kind).toBe('open')
      stopwatch.stop()

      expect((await stuck).error).toMatchObject({ code: 'store_unavailable' })
      expect(reads).toBeGreaterThan(10)
    }, schema)
  })

  test.each<Way>(['hanging', 'half-open'])('[FLEET-10] and is %s does not delay closing the store', async (way) => {
    const { store, link, close } = await aStore()
    const { id } = await store.asks.raise(aQuestion())
    await store.asks.wait('default', id, { timeoutMs: 300 })
    await link.fail(way)

    expect((await timed(close())).ms).toBeLessThan(3_000 + soonMs)
  })

  test('[FLEET-10] releases the locks of a lost connection for other replicas', async () => {
    const { store, link, schema } = await aStore()
    const other = await openPostgres(database, { keys, schema, connections: 2 })
    onTestFinished(() => other.close())
    await other.asks.raise(aQuestion())
    // Slow, so that the connection can be lost between two entries, while its transaction is open.
    await link.fail('slow')
    const entries = ['u', 'v', 'w', 'x', 'y'].map((subject) => ({ subject, body: {} }))
    let isOver = false
    const append = () => {
      isOver = false
      return timed(store.audit.append('default', entries)).finally(() => {
        isOver = true
      })
    }
    let lost = append()
    await withAdmin((admin) =>
      eventually(async () => {
        // A busy machine may miss the moment.
        if (isOver) lost = append()
        return isInTransaction(admin, schema)
      }),
    )
    await link.fail('half-open')

    await eventually(async () => (await timed(other.asks.raise(aQuestion()))).error === undefined)

    expect((await lost).error).toMatchObject({ code: 'store_unavailable' })
  })
})

async function isInTransaction(admin: pg.Client, schema: string): Promise<boolean> {
  const { rowCount } = await admin.query(
    `select from pg_locks join pg_stat_activity using (pid)
     where relation = to_regclass($1) and state = 'idle in transaction'`,
    [`${schema}.audit_entries`],
  )
  return rowCount !== 0
}
