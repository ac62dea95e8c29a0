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
    await tamper(`insert into audit_entries (tenant, seq, at, kind, subject, digest, body, hash)
    values ('acme', 2, 0, 'note', 'x', 'x', 'x', 'x')`)

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
  await tamper(`delete from audit_heads where tenant = 'acme'`)

  const answer = store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })

  await expect(answer).rejects.toMatchObject({ code: 'store_unavailable' })
  expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
})
