import { type AuditEntry, createKeyRing } from '@assent/core'
import { expect } from 'vitest'
import type { Store } from '../index.ts'
import { accept, aForm, anApproval, anId, ann, ben, inEurope, noon } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

async function someHistory(store: Store): Promise<void> {
  const approval = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 2))
  for (const person of [ann, ben]) {
    await store.asks.answer({ tenant: 'acme', id: approval.id, person, via: 'inbox', answer: accept })
  }
  const grant = await store.grants.read('acme', approval.id)
  await store.grants.use({
    tenant: 'acme',
    id: grant?.id ?? '',
    digest: grant?.digest ?? '',
    principal: 'ann',
    usedBy: 'gateway-1',
  })
  const form = await store.asks.raise(aForm())
  await store.asks.answer({ tenant: 'acme', id: form.id, person: ann, via: 'client', answer: inEurope })
  const taken = await store.asks.raise(aForm())
  await store.asks.withdraw('acme', taken.id, 'unseen')
}

async function entriesOf(store: Store, tenant = 'acme'): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = []
  for await (const entry of store.audit.entries(tenant)) entries.push(entry)
  return entries
}

onEachEngine('[AUDIT-3] every change is in the audit log, in order, and the log verifies', async ({ open }) => {
  const store = await open({ clock: stoppedClock() })
  await someHistory(store)

  const entries = await entriesOf(store)

  expect(entries.map(({ kind }) => kind)).toEqual([
    'ask.raised',
    'ask.voted',
    'ask.settled',
    'grant.used',
    'ask.raised',
    'ask.settled',
    'ask.raised',
    'ask.withdrawn',
  ])
  expect(entries.every(({ atMs }) => atMs === noon)).toBe(true)
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 8 })
  expect(entries.map(({ counter }) => counter)).toEqual([1, 2, 3, 1, 1, 2, 1, 2])
})

onEachEngine('[AUDIT-3] a change that did not happen is not in the audit log', async ({ open }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(aForm())
  await store.asks.answer({ tenant, id, person: ben, via: 'inbox', answer: inEurope })
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })
  await store.asks.expire(tenant, id)
  await store.grants.use({ tenant, id: 'x', digest: 'x', principal: 'ann', usedBy: 'x' })

  expect(await entriesOf(store)).toHaveLength(1)
})

onEachEngine('[AUDIT-4] the audit log contains digests, and contents only if that is configured', async ({ open }) => {
  const answer = { action: 'accept', content: { region: 'eu' }, comment: 'as discussed' }
  for (const auditContents of ['digest', 'keep'] as const) {
    const store = await open({ auditContents })
    const { tenant, id } = await store.asks.raise(aForm({ tenant: auditContents }))
    await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer })
    const bodies = (await entriesOf(store, tenant)).map(({ body }) => body).join('\n')

    for (const content of ['Which region?', '"eu"', 'as discussed']) {
      expect(bodies.includes(content)).toBe(auditContents === 'keep')
    }
    expect(bodies).toContain('sha256:')
    expect(bodies).toContain('"by":"ann"')
  }
})

onEachEngine('[AUDIT-5] each tenant has its own log', async ({ open }) => {
  const store = await open()
  await store.asks.raise(aForm())
  await store.asks.raise(aForm({ tenant: 'umbrella' }))
  await store.asks.raise(aForm())

  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 2 })
  expect(await store.audit.verify('umbrella')).toMatchObject({ ok: true, lastSeq: 1 })
  expect(await store.audit.verify('nobody')).toMatchObject({ ok: true, lastSeq: 0 })
})

/** The entry at place 2, which is number 3 of the log. */
const third = `(select entry_id from log_index where place = 2 and tenant = 'acme')`
const attacks: readonly (readonly [attack: string, seq: number | undefined])[] = [
  [`update audit_entries set body = '{}' where id = ${third}`, 3],
  [`update audit_entries set salt = '${'0'.repeat(32)}' where id = ${third}`, 3],
  [`update audit_entries set body = null, salt = null where id = ${third}`, 3],
  [`update audit_entries set body = null where id = ${third}`, 3],
  [`update audit_entries set salt = null where id = ${third}`, 3],
  [`update audit_entries set digest = 'sha256:${'0'.repeat(64)}' where id = ${third}`, 3],
  [`update audit_entries set assertion_digest = 'sha256:${'0'.repeat(64)}' where id = ${third}`, 3],
  [`update audit_entries set at = at + 1 where id = ${third}`, 3],
  [`update audit_entries set counter = counter + 1 where id = ${third}`, 3],
  [`update audit_entries set kind = 'note' where id = ${third}`, 3],
  [`update audit_entries set subject = 'ask_x' where id = ${third}`, 3],
  [`delete from audit_entries where id = ${third}`, 3],
  [`update audit_entries set id = 999 where id = ${third}`, 3],
  [`update log_index set hash = '${'0'.repeat(64)}' where place = 2`, 3],
  ['delete from log_index where place = 2', 3],
  ['update log_index set place = 99 where place = 2', 3],
  ['delete from log_index where place > 4', 6],
  [`update log_tiles set hashes = replace(hashes, substr(hashes, 90, 4), 'AAAA')`, 3],
  ['delete from log_tiles', 1],
  [`update log_heads set root = '${'A'.repeat(43)}='`, undefined],
  ['update log_heads set size = 5', undefined],
  [`update log_heads set checkpoint = replace(checkpoint, 'assent', 'absent')`, undefined],
  [`update log_heads set origin = 'other'`, undefined],
]

const logTables = ['audit_entries', 'log_index', 'log_tiles', 'log_heads']

onEachEngine(
  '[AUDIT-1] a change made directly in the database is detected, with its entry',
  async ({ open, tamper }) => {
    const store = await open()
    await someHistory(store)
    expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 8 })
    for (const table of logTables) await tamper(`create table kept_${table} as select * from ${table}`)

    for (const [attack, seq] of attacks) {
      await tamper(attack)
      const expected = seq === undefined ? { ok: false } : { ok: false, seq }
      expect([attack, await store.audit.verify('acme')]).toMatchObject([attack, expected])
      for (const table of logTables) {
        await tamper(`delete from ${table}`)
        await tamper(`insert into ${table} select * from kept_${table}`)
      }
      expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 8 })
    }
  },
)

onEachEngine('[AUDIT-1] swapped and repeated places are detected, also if the hashes fit', async ({ open, tamper }) => {
  const store = await open()
  await someHistory(store)
  await store.audit.integrate('acme')
  const [two, five] = (await tamper('select entry_id, hash from log_index where place in (2, 5) order by place')) as {
    entry_id: number
    hash: string
  }[]
  await tamper('delete from log_index where place in (2, 5)')
  await tamper(
    `insert into log_index (tenant, place, entry_id, hash)
     values ('acme', 2, ${five?.entry_id}, '${five?.hash}'), ('acme', 5, ${two?.entry_id}, '${two?.hash}')`,
  )
  expect(await store.audit.verify('acme')).toMatchObject({ ok: false })
})

onEachEngine('[AUDIT-2] a checkpoint stored elsewhere reveals a truncated log', async ({ open, tamper }) => {
  const store = await open()
  await store.asks.raise(aForm())
  await store.audit.integrate('acme')
  for (const table of logTables) await tamper(`create table kept_${table} as select * from ${table}`)
  await someHistory(store)
  const { checkpoint, size } = await store.audit.integrate('acme')
  const opened = await store.audit.openCheckpoint('acme', checkpoint)
  if (!opened.ok) throw new Error(opened.problem)
  expect(await store.audit.verify('acme', [opened.head])).toMatchObject({ ok: true, lastSeq: size })

  // The log was signed with this end before, so it is consistent in itself.
  for (const table of logTables) {
    await tamper(`delete from ${table}`)
    await tamper(`insert into ${table} select * from kept_${table}`)
  }
  const shorter = await open()
  expect(await shorter.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 1 })
  expect(await shorter.audit.verify('acme', [opened.head])).toMatchObject({ ok: false, seq: 2 })
  // Verifying adds nothing to it. Nor does it help to let it grow again.
  await someHistory(shorter)
  expect(await shorter.audit.verify('acme', [opened.head])).toMatchObject({ ok: false, seq: 2 })
  await shorter.audit.integrate('acme')
  expect(await shorter.audit.verify('acme', [opened.head])).toMatchObject({ ok: false, seq: 9 })
})

onEachEngine('[AUDIT-2] a log that begins anew is not the one of an older checkpoint', async ({ open, tamper }) => {
  const store = await open()
  await someHistory(store)
  const { checkpoint } = await store.audit.integrate('acme')
  for (const table of ['log_heads', 'log_index', 'log_tiles']) await tamper(`delete from ${table}`)
  const anew = await open()
  expect(await anew.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 8 })
  expect(await anew.audit.openCheckpoint('acme', checkpoint)).toMatchObject({ ok: false })
})

onEachEngine('[TLOG-12] checkpoints are signed by every key of the ring, so that keys can be replaced', async (db) => {
  const [old, fresh] = [
    { id: 'test', secret: new Uint8Array(32).fill(3) },
    { id: 'fresh', secret: new Uint8Array(32).fill(9) },
  ]
  const before = await db.open({ keys: createKeyRing([old]) })
  await someHistory(before)
  const { checkpoint: first } = await before.audit.integrate('acme')
  const oldKeys = await before.audit.keys('acme')
  const unknown = await db.open({ keys: createKeyRing([fresh]) })
  await expect(unknown.audit.integrate('acme')).rejects.toMatchObject({ code: 'log_unusable' })
  expect(await unknown.audit.verify('acme')).toMatchObject({ ok: false, problem: expect.stringContaining('signed') })

  const both = await db.open({ keys: createKeyRing([fresh, old]) })
  const { checkpoint: second, size } = await both.audit.integrate('acme')
  expect(size).toBe(8)
  expect(second.trimEnd().split('\n')).toHaveLength(first.trimEnd().split('\n').length + 1)
  const after = await db.open({ keys: createKeyRing([fresh]) })
  await after.asks.raise(aForm())
  expect(await after.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 9 })
  // The old key is not in the ring, but a person who kept it can still verify what it signed.
  expect(await after.audit.openCheckpoint('acme', first)).toMatchObject({ ok: false })
  const opened = await after.audit.openCheckpoint('acme', first, oldKeys)
  if (!opened.ok) throw new Error(opened.problem)
  expect(await after.audit.verify('acme', [opened.head])).toMatchObject({ ok: true })
})

onEachEngine('[AUDIT-3] notes are added in the order given, all or none', async ({ open }) => {
  const store = await open()
  const notes = Array.from({ length: 1_500 }, (_, index) => ({ subject: anId(), body: { index } }))
  await store.audit.append('acme', [])
  await store.audit.append('acme', notes)

  await expect(store.audit.append('acme', [{ subject: anId(), body: { bad: undefined } }])).rejects.toThrow()
  const entries = await entriesOf(store)
  expect(entries.map(({ subject }) => subject)).toEqual(notes.map(({ subject }) => subject))
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 1_500 })
})

onEachEngine('[AUDIT-3] a note can be the first entry of an audit log', async ({ open }) => {
  const store = await open()
  await store.audit.append('acme', [{ subject: 'first', body: {} }])
  await store.audit.append('acme', [{ subject: 'second', body: {} }])

  expect((await entriesOf(store)).map(({ subject }) => subject)).toEqual(['first', 'second'])
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 2 })
})
