// Answers with a passkey while another transaction changes that passkey. PostgreSQL only: SQLite has one writer.

import pg from 'pg'
import { expect, test } from 'vitest'
import { hasServices } from '../../../../test-kit/services.ts'
import { SoftwarePasskey } from '../../../../test-kit/software-passkey.ts'
import { addKey, signedAnswer } from '../../../../test-kit/store/passkeys.ts'
import { aForm, inEurope } from './drafts.suite.ts'
import { onPostgres, postgresUrl } from './engines.suite.ts'

const tenant = 'acme'
const needing = { needsPresence: true } as const

/** Runs `change` in a transaction, and the answers while it is open; then commits. */
async function during<Result>(schema: string, change: string, run: () => Promise<Result>[]): Promise<Result[]> {
  const other = new pg.Client({ connectionString: postgresUrl, options: `-c search_path=${schema}` })
  await other.connect()
  try {
    await other.query('begin')
    await other.query(change)
    const running = run()
    await new Promise((resolve) => setTimeout(resolve, 500))
    await other.query('commit')
    return await Promise.all(running)
  } finally {
    await other.end()
  }
}

test.skipIf(!hasServices)('[PRESENCE-7] an answer that waits for the removal of its key is refused (PostgreSQL)', () =>
  onPostgres(async ({ open, tamper }) => {
    const store = await open()
    const { key, id = '' } = await addKey(store, 'ann')
    const ask = await store.asks.raise(aForm(needing))
    const schema = await schemaOf(tamper)
    const removal = `update passkeys set removed_at = 1 where id = '${id}'`
    const [answered] = await during(schema, removal, () => [
      store.asks.answer(signedAnswer(store, ask, 'ann', inEurope, key)),
    ])
    expect(answered?.kind).not.toBe('settled')
    expect((await store.asks.read(tenant, ask.id))?.state.kind).toBe('open')
  }),
)

test.skipIf(!hasServices)(
  '[PRESENCE-6] of two uses of one counter at the same moment one is refused (PostgreSQL)',
  () =>
    onPostgres(async ({ open, tamper }) => {
      const store = await open()
      const { key, id = '' } = await addKey(store, 'ann', new SoftwarePasskey({ counter: 5 }))
      const asks = [await store.asks.raise(aForm(needing)), await store.asks.raise(aForm(needing))]
      const schema = await schemaOf(tamper)
      const lock = `select 1 from passkeys where id = '${id}' for update`
      const answered = await during(schema, lock, () =>
        asks.map((ask) => store.asks.answer(signedAnswer(store, ask, 'ann', inEurope, key, { counter: 6 }))),
      )
      expect(answered.filter(({ kind }) => kind === 'settled')).toHaveLength(1)
      expect(await store.passkeys.list({ tenant, principal: 'ann' })).toMatchObject([{ signCount: 6 }])
      expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
    }),
)

async function schemaOf(tamper: (sql: string) => Promise<unknown[]>): Promise<string> {
  const [row] = (await tamper('select current_schema() as name')) as { name: string }[]
  return row?.name ?? ''
}
