import { expect } from 'vitest'
import { accept, anApproval, ann, ben, cancel, cleo, decline } from './drafts.suite.ts'
import { onEachEngine } from './engines.suite.ts'

const three = ['person:ann', 'person:ben', 'person:cleo'] as const

onEachEngine('[ASK-6] a quorum of two settles with the second person, and stores both votes', async ({ open }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(anApproval(three, 2))

  const first = await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })
  expect(first).toMatchObject({
    kind: 'counted',
    ask: { state: { kind: 'open' }, votes: [{ by: 'ann', via: 'inbox' }] },
  })
  expect(await store.grants.read(tenant, id)).toBeUndefined()

  const second = await store.asks.answer({ tenant, id, person: cleo, via: 'terminal', answer: accept })
  expect(second).toMatchObject({ kind: 'settled', ask: { state: { kind: 'settled', by: 'cleo' } } })
  expect((await store.asks.read(tenant, id))?.votes.map(({ by }) => by)).toEqual(['ann', 'cleo'])
  expect(await store.grants.read(tenant, id)).toMatchObject({ askId: id })
})

onEachEngine('[ASK-6] a person is counted once, even with two votes at the same moment', async ({ open }) => {
  const stores = [await open(), await open()]
  const { tenant, id } = (await stores[0]?.asks.raise(anApproval(three, 2))) ?? { tenant: '', id: '' }

  const answers = await Promise.all(
    [...stores, ...stores].map((store) => store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })),
  )

  expect(answers.filter(({ kind }) => kind === 'counted')).toHaveLength(1)
  expect(answers.filter(({ kind }) => kind === 'already-voted')).toHaveLength(3)
  expect((await stores[0]?.asks.read(tenant, id))?.state.kind).toBe('open')
  expect(await stores[0]?.audit.verify(tenant)).toMatchObject({ ok: true, lastSeq: 2 })
})

onEachEngine('[STORE-4] the same vote sent twice at once is one vote', async ({ open }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(anApproval(three, 2))
  const request = { tenant, id, person: ann, via: 'inbox', answer: accept, decisionId: 'd1' } as const

  const answers = await Promise.all([store.asks.answer(request), store.asks.answer(request)])

  for (const answered of answers) expect(answered).toMatchObject({ kind: 'counted', ask: { votes: [{ by: 'ann' }] } })
  expect(await store.asks.answer({ ...request, answer: decline })).toEqual({ kind: 'conflict' })
})

onEachEngine('[ASK-6] one decline is a no, and gives no grant', async ({ open }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(anApproval(three, 2))
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: accept })

  const answered = await store.asks.answer({ tenant, id, person: ben, via: 'inbox', answer: decline })

  expect(answered).toMatchObject({ kind: 'settled', ask: { state: { by: 'ben', answer: { action: 'decline' } } } })
  expect(await store.grants.read(tenant, id)).toBeUndefined()
})

onEachEngine('[ASK-8] if several people must approve, a cancel changes nothing', async ({ open }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(anApproval(three, 2))

  expect(await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: cancel })).toEqual({
    kind: 'no-cancel',
  })
  expect((await store.asks.read(tenant, id))?.state.kind).toBe('open')
})
