// What another program can write into the tables of the audit log, and rows beside it that were changed.

import { type AuditKind, leafOf, pinnedDefinition } from '@assent/core'
import { expect, test } from 'vitest'
import { hasServices } from '../../../../test-kit/services.ts'
import { addKey } from '../../../../test-kit/store/passkeys.ts'
import type { Store } from '../index.ts'
import { accept, aForm, anApproval, anId, ann } from './drafts.suite.ts'
import { onEachEngine, onPostgres, stoppedClock, type TestDb } from './engines.suite.ts'

const tenant = 'acme'
const digest = `sha256:${'0'.repeat(64)}`
const valid = { at: 0, kind: 'note', subject: 'x', counter: 0, digest, assertion_digest: null as string | null }
type Columns = typeof valid

function inserting(columns: Columns & { readonly id?: number }): string {
  const values = Object.values(columns).map((value) =>
    typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value),
  )
  return `insert into audit_entries (tenant, ${Object.keys(columns).join(', ')}) values ('${tenant}', ${values.join(', ')})`
}

const values: { readonly [Name in keyof Columns]: readonly Columns[Name][] } = {
  at: [0, 1, Number.MAX_SAFE_INTEGER, -1, 2 ** 53],
  kind: ['a', 'ask.raised', 'a.b.c', 'a'.repeat(32), '', 'a'.repeat(33), 'A', 'a.', '.a', 'a..b', 'a b', 'a1', 'a\n'],
  subject: ['!', '~', 'x'.repeat(128), '', 'x'.repeat(129), 'a b', ' ', 'x\n', '\nx', 'é', '\u007f'],
  counter: [0, 1, 2_147_483_647, -1],
  digest: [digest, '', 'x', digest.toUpperCase(), `${digest}0`, digest.slice(0, -1), `${digest}\n`, ` ${digest}`],
  assertion_digest: [null, digest, '', '-', 'x', `${digest}\n`],
}

test.skipIf(!hasServices)('[TLOG-40] an entry can be inserted exactly if it has a leaf (PostgreSQL)', () =>
  onPostgres(async (db) => {
    const store = await db.open()
    let inserted = 0
    for (const [column, list] of Object.entries(values)) {
      for (const value of list) {
        const columns = { ...valid, [column]: value }
        const { at: atMs, kind, assertion_digest, ...rest } = columns
        const assertion = assertion_digest === null ? {} : { assertionDigest: assertion_digest }
        const hasLeaf = leafOf({ atMs, kind: kind as AuditKind, ...rest, ...assertion }) !== undefined
        const error = await db.tamper(inserting(columns)).then(
          () => undefined,
          (thrown: { constraint?: string }) => thrown.constraint,
        )
        expect([column, value, error]).toEqual([column, value, hasLeaf ? undefined : 'audit_entries_fit'])
        if (hasLeaf) inserted += 1
      }
    }
    for (const id of [-1, 0, 10 ** 15])
      await expect(db.tamper(inserting({ ...valid, id }))).rejects.toThrow('audit_entries_fit')

    expect(await store.audit.integrate(tenant)).toMatchObject({ size: inserted })
  }),
)

onEachEngine('[TLOG-40] an entry that has no leaf is named with its wrong columns, and what to do', async (db) => {
  const store = await db.open()
  await store.asks.raise(aForm())
  await store.audit.integrate(tenant)
  // As its owner can, or in a table from before the constraint.
  await db.tamper('alter table audit_entries drop constraint audit_entries_fit').catch(() => undefined)
  await db.tamper(inserting({ ...valid, id: 77, subject: 'a b', counter: -1 }))
  await store.asks.raise(aForm())
  const errors: unknown[] = []
  const sequencer = store.startSequencer([tenant], (error) => errors.push(error))
  await sequencer.stop()

  expect(errors[0]).toMatchObject({
    code: 'log_unusable',
    message: expect.stringMatching(/ id 77 is not an audit entry \(subject "a b", counter -1\).*Delete this row/),
  })
  await db.tamper('delete from audit_entries where id = 77')
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
})

/** Every row that differs from the log is reported, and no other. */
async function expectReported(db: TestDb, store: Store, edits: readonly string[], table: string): Promise<void> {
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
  await db.tamper(`create table kept as select * from ${table}`)
  for (const edit of edits) {
    await db.tamper(edit)
    const verdict = await store.record.verify(tenant)
    expect([edit, verdict]).toMatchObject([edit, { ok: false }])
    await db.tamper(`delete from ${table}`)
    await db.tamper(`insert into ${table} select * from kept`)
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
  }
}

onEachEngine('[TLOG-41] audit verify compares the counters of used and unused grants with the log', async (db) => {
  const store = await db.open()
  for (const isUsed of [true, false]) {
    const { id } = await store.asks.raise(anApproval(['person:ann'], 1))
    await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })
    const grant = await store.grants.read(tenant, id)
    if (grant === undefined) throw new Error('It was approved.')
    if (isUsed) await store.grants.use({ ...grant, usedBy: 'test' })
  }

  const edits = ['used_at is not null', 'used_at is null'].flatMap((which) => [
    `update grants set log_counter = log_counter + 1 where ${which}`,
    `update grants set log_counter = log_counter - 1 where ${which}`,
  ])
  await expectReported(db, store, edits, 'grants')
})

onEachEngine('[TLOG-41] audit verify compares the counters of passkeys with the log', async (db) => {
  const store = await db.open()
  await addKey(store, 'ben')
  await store.passkeys.reset({ tenant, principal: 'ben' })
  await addKey(store, 'ann')

  const edits = [
    `update passkeys set log_counter = log_counter + 1 where principal = 'ann'`,
    `update passkeys set log_counter = 0 where principal = 'ann'`,
    `update passkeys set log_counter = 1 where principal = 'ben'`,
  ]
  await expectReported(db, store, edits, 'passkeys')
})

onEachEngine('[TLOG-41] audit verify compares lost calls with the log', async (db) => {
  const clock = stoppedClock()
  const store = await db.open({ clock })
  const leaseMs = 10_000
  await store.replicas.renew('gateway-1', leaseMs)
  const begin = async () => {
    const call = { tenant, id: anId('call'), principal: 'ann', server: 'deploy', method: 'tools/call' }
    await store.calls.begin({ ...call, requestDigest: digest, owner: 'gateway-1' })
    return call.id
  }
  const [lost, finished] = [await begin(), await begin()]
  await store.calls.finish(tenant, finished, 'gateway-1', '{}')
  clock.advance(leaseMs)
  await store.abandonLostCalls()

  const edits = [
    `update calls set state = 'finished', outcome = '{}' where id = '${lost}'`,
    `update calls set state = 'finished', outcome = '{}', log_counter = 0 where id = '${lost}'`,
    `update calls set ended_at = ended_at + 1 where id = '${lost}'`,
    `update calls set owner = 'gateway-2' where id = '${lost}'`,
    `update calls set log_counter = 2 where id = '${lost}'`,
    `update calls set log_counter = 1 where id = '${finished}'`,
    `update calls set state = 'lost' where id = '${finished}'`,
  ]
  await expectReported(db, store, edits, 'calls')
  // Rows are deleted some days after a call ended.
  await db.tamper('delete from calls')
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
})

test.skipIf(!hasServices)(
  '[AUDIT-6] audit verify finds entries with a collation that ignores punctuation (PostgreSQL)',
  () =>
    onPostgres(async (db) => {
      const store = await db.open()
      await addKey(store, 'ann')
      const tool = { tenant, server: 'deploy', tool: 'rollout' }
      await store.definitions.pin(tool, pinnedDefinition({ name: 'a' }))
      await db.tamper(`create collation shifted (provider = icu, locale = 'und-u-ka-shifted')`)
      await db.tamper('alter table audit_entries alter column subject type text collate shifted')
      expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
      await db.tamper('delete from passkeys')
      await db.tamper('delete from tool_definitions')
      const verdict = await store.record.verify(tenant)
      expect(verdict).toMatchObject({
        ok: false,
        problems: [{ problem: expect.stringMatching(/^Passkey/) }, { problem: expect.stringMatching(/^Definition/) }],
      })
    }),
)
