import { generateKeyPairSync } from 'node:crypto'
import { type AuditEntry, verifyCheckpoint } from '@assent/core'
import { expect } from 'vitest'
import type { Store } from '../index.ts'
import { accept, aForm, anApproval, anId, ann, ben, inEurope, noon } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const keys = generateKeyPairSync('ed25519')

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

onEachEngine('[AUDIT-3] every change is in the audit log, in order, and the chain verifies', async ({ open }) => {
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
  expect(await store.audit.verify('acme')).toEqual({ ok: true, lastSeq: 8, lastHash: entries.at(-1)?.hash })
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

onEachEngine('[AUDIT-5] each tenant has its own chain', async ({ open }) => {
  const store = await open()
  await store.asks.raise(aForm())
  await store.asks.raise(aForm({ tenant: 'umbrella' }))
  await store.asks.raise(aForm())

  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 2 })
  expect(await store.audit.verify('umbrella')).toMatchObject({ ok: true, lastSeq: 1 })
  expect(await store.audit.verify('nobody')).toMatchObject({ ok: true, lastSeq: 0 })
})

const attacks = [
  `update audit_entries set body = '{}' where seq = 3`,
  `update audit_entries set at = at + 1 where seq = 3`,
  `update audit_entries set kind = 'note' where seq = 3`,
  `update audit_entries set subject = 'ask_x' where seq = 3`,
  `delete from audit_entries where seq = 3`,
  `update audit_entries set seq = 9 where seq = 3`,
]

onEachEngine(
  '[AUDIT-1] a change made directly in the database is detected, with its entry',
  async ({ open, tamper }) => {
    const store = await open()
    await someHistory(store)
    const keep = await tamper('select * from audit_entries where seq = 3')

    for (const attack of attacks) {
      await tamper(attack)
      expect(await store.audit.verify('acme')).toMatchObject({ ok: false, seq: 3 })
      await tamper('delete from audit_entries where seq in (3, 9)')
      const [row] = keep as Record<string, unknown>[]
      const values = Object.values(row ?? {}).map((value) => `'${String(value).replaceAll(`'`, `''`)}'`)
      await tamper(`insert into audit_entries (${Object.keys(row ?? {}).join(', ')}) values (${values.join(', ')})`)
      expect(await store.audit.verify('acme')).toMatchObject({ ok: true })
    }
  },
)

onEachEngine('[AUDIT-2] a checkpoint stored elsewhere reveals a truncated log', async ({ open, tamper }) => {
  const store = await open()
  expect(await store.audit.checkpoint('acme', 'k1', keys.privateKey)).toBeUndefined()
  await someHistory(store)
  const checkpoint = await store.audit.checkpoint('acme', 'k1', keys.privateKey)
  if (checkpoint === undefined) throw new Error('No checkpoint was made.')

  expect(verifyCheckpoint(checkpoint, keys.publicKey)).toBe(true)
  expect(await store.audit.checkpoints('acme')).toEqual([checkpoint])
  expect(await store.audit.verify('acme', [checkpoint])).toMatchObject({ ok: true })
  await tamper('delete from audit_entries where seq > 5')
  await tamper(`update audit_heads set seq = 5, hash = (select hash from audit_entries where seq = 5)`)
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 5 })
  expect(await store.audit.verify('acme', [checkpoint])).toMatchObject({ ok: false, seq: 6 })
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
