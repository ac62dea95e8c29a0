import { expect } from 'vitest'
import { accept, aForm, anApproval, anId, ann, decline, inEurope, minuteMs, noon } from './drafts.suite.ts'
import { onEachEngine, stoppedClock, type TestDb } from './engines.suite.ts'

async function anApproved(open: TestDb['open'], clock = stoppedClock()) {
  const store = await open({ clock })
  const draft = anApproval(['person:ann'], 1)
  const { tenant, id } = await store.asks.raise(draft)
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })
  const grant = await store.grants.read(tenant, id)
  if (grant === undefined) throw new Error('No grant was given.')
  const use = { tenant, id: grant.id, digest: grant.digest, principal: 'ann', usedBy: 'gateway-1' }
  return { store, grant, use, clock }
}

onEachEngine(
  '[STORE-6] the approval of an action gives one grant, bound to its digest, principal and time',
  async ({ open }) => {
    const { grant } = await anApproved(open)

    expect(grant).toMatchObject({ principal: 'ann', grantedAtMs: noon, expiresAtMs: noon + 5 * minuteMs })
    expect(grant.digest).toMatch(/^sha256:[0-9a-f]{64}$/)
  },
)

onEachEngine('[STORE-6] a grant is used once, however many gates try at the same moment', async ({ open }) => {
  const { store, grant, use } = await anApproved(open)
  const other = await open({ clock: stoppedClock() })

  const uses = await Promise.all([store, other, store, other].map((one) => one.grants.use(use)))

  expect(uses.filter((used) => used !== undefined)).toEqual([grant])
  expect(await store.grants.read('acme', grant.askId)).toMatchObject({ usedAtMs: noon })
  expect(await store.grants.use(use)).toBeUndefined()
})

onEachEngine('[STORE-6] a grant cannot be used for another action, person, tenant or id', async ({ open }) => {
  const { store, use } = await anApproved(open)
  const wrong = [
    { ...use, digest: use.digest.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
    { ...use, principal: 'ben' },
    { ...use, tenant: 'umbrella' },
    { ...use, id: anId('decision') },
  ]

  for (const attempt of wrong) expect(await store.grants.use(attempt)).toBeUndefined()
  expect(await store.grants.use(use)).toBeDefined()
})

onEachEngine('[STORE-6] an expired grant cannot be used', async ({ open }) => {
  const { store, use, clock } = await anApproved(open)

  clock.advance(5 * minuteMs)
  expect(await store.grants.use(use)).toBeUndefined()
  clock.advance(-1)
  expect(await store.grants.use(use)).toBeDefined()
})

onEachEngine(
  '[STORE-65] a use that is made again with the same attempt is recognised, and no other',
  async ({ open }) => {
    const { store, grant, use } = await anApproved(open)
    const other = await open({ clock: stoppedClock() })
    const first = { ...use, attempt: 'attempt-1' }

    expect(await store.grants.use(first)).toEqual(grant)
    expect(await other.grants.use(first)).toEqual(grant)

    expect(await store.grants.use({ ...use, attempt: 'attempt-2' })).toBeUndefined()
    expect(await store.grants.use(use)).toBeUndefined()
    expect(await store.grants.use({ ...first, usedBy: 'gateway-2' })).toBeUndefined()
    expect(await store.grants.use({ ...first, principal: 'ben' })).toBeUndefined()
    expect(await store.audit.verify('acme')).toMatchObject({ ok: true })
  },
)

onEachEngine('[STORE-65] of several attempts at the same moment, one uses the grant', async ({ open }) => {
  const { store, use } = await anApproved(open)
  const other = await open({ clock: stoppedClock() })

  const uses = await Promise.all(
    [store, other, store, other].map((one, n) => one.grants.use({ ...use, attempt: `attempt-${n}` })),
  )

  expect(uses.filter((used) => used !== undefined)).toHaveLength(1)
})

onEachEngine('[STORE-65] an attempt is not recognised after the grant expired', async ({ open }) => {
  const { store, use, clock } = await anApproved(open)
  const attempt = { ...use, attempt: 'attempt-1' }
  expect(await store.grants.use(attempt)).toBeDefined()

  clock.advance(5 * minuteMs)

  expect(await store.grants.use(attempt)).toBeUndefined()
})

onEachEngine('[STORE-65] a use that is only in the row, and not in the audit log, is not recognised', async (db) => {
  const { store, grant, use } = await anApproved(db.open)
  await db.tamper(`update grants set used_at = ${noon}, used_by = 'gateway-1 attempt-1' where id = '${grant.id}'`)

  expect(await store.grants.use({ ...use, attempt: 'attempt-1' })).toBeUndefined()
})

onEachEngine('[STORE-6] neither a no nor a form gives a grant', async ({ open }) => {
  const store = await open()
  const approval = await store.asks.raise(anApproval(['person:ann'], 1))
  const form = await store.asks.raise(aForm())
  await store.asks.answer({ tenant: 'acme', id: approval.id, person: ann, via: 'inbox', answer: decline })
  await store.asks.answer({ tenant: 'acme', id: form.id, person: ann, via: 'inbox', answer: inEurope })

  expect(await store.grants.read('acme', approval.id)).toBeUndefined()
  expect(await store.grants.read('acme', form.id)).toBeUndefined()
})

onEachEngine('[STORE-7] the id of a sealed state can be used once', async ({ open }) => {
  const stores = [await open(), await open()]
  const state = anId('state')

  const uses = await Promise.all([...stores, ...stores].map((store) => store.grants.useState('acme', state, noon)))

  expect(uses.filter(Boolean)).toHaveLength(1)
  expect(await stores[0]?.grants.useState('umbrella', state, noon)).toBe(true)
})

onEachEngine('[STORE-7] an answer with a state that was used before is refused', async ({ open }) => {
  const store = await open()
  const first = await store.asks.raise(anApproval(['person:ann'], 1))
  const second = await store.asks.raise(anApproval(['person:ann'], 1))
  const state = { id: anId('state'), expiresAtMs: Date.now() + minuteMs }
  const answer = { tenant: 'acme', person: ann, via: 'client', answer: accept, state } as const

  expect(await store.asks.answer({ ...answer, id: first.id })).toMatchObject({ kind: 'settled' })
  expect(await store.asks.answer({ ...answer, id: second.id })).toEqual({ kind: 'state-used' })
  expect((await store.asks.read('acme', second.id))?.state.kind).toBe('open')
  expect(await store.grants.read('acme', second.id)).toBeUndefined()
})

onEachEngine(
  '[STORE-3] answer, grant, used state and audit entry happen together or not at all',
  async ({ open, tamper }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
    const state = { id: anId('state'), expiresAtMs: Date.now() + minuteMs }
    // Makes the last write of the step impossible.
    await tamper(`create unique index in_the_way on audit_entries (tenant) where kind = 'ask.settled'`)
    await tamper(`insert into audit_entries (tenant, at, kind, subject, counter, digest, salt, body)
    values ('acme', 0, 'ask.settled', 'x', 0, 'sha256:${'0'.repeat(64)}', 'x', 'x')`)

    const answer = store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept, state })

    await expect(answer).rejects.toThrow()
    expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
    expect(await store.grants.read(tenant, id)).toBeUndefined()
    expect(await store.grants.useState(tenant, state.id, state.expiresAtMs)).toBe(true)
    expect((await store.inbox.page({ tenant, person: ann, show: 'open' })).asks).toHaveLength(1)
  },
)

onEachEngine('[STORE-3] without an audit log nothing is decided', async ({ open, tamper }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(anApproval(['person:ann'], 1))
  await tamper('alter table audit_entries rename to gone')

  const answer = store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })

  await expect(answer).rejects.toThrow()
  expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
})
