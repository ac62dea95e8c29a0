import { type ApprovalRequirement, type Person, ruleOf } from '@assent/core'
import { expect } from 'vitest'
import { SoftwarePasskey } from '../../../../test-kit/software-passkey.ts'
import { addKey, signedAnswer } from '../../../../test-kit/store/passkeys.ts'
import { accept, anApproval, decline, person } from './drafts.suite.ts'
import { onEachEngine } from './engines.suite.ts'

const twoOfReleaseAndSecurity: ApprovalRequirement = {
  anyOf: [
    [
      { from: ['group:release'], approvals: 2 },
      { from: ['group:security'], approvals: 1 },
    ],
    [{ from: ['person:boss'], approvals: 1 }],
  ],
  excluded: ['ann'],
}
const draft = () => anApproval([], 1, { approvalRule: ruleOf([twoOfReleaseAndSecurity], 1) })
const [ann, ben, cleo, dora, boss] = [
  person('ann', 'release', 'security'),
  person('ben', 'release'),
  person('cleo', 'release', 'security'),
  person('dora', 'security', 'other'),
  person('boss'),
]

onEachEngine('[POLICY-22] votes of people in several groups fill different places', async ({ open }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(draft())
  const vote = (voter: Person) => store.asks.answer({ tenant, id, person: voter, via: 'inbox', answer: accept })

  expect(await vote(ann)).toEqual({ kind: 'not-found' })
  expect(await vote(ben)).toMatchObject({ kind: 'counted' })
  expect(await vote(cleo)).toMatchObject({ kind: 'counted' })
  expect(await store.grants.read(tenant, id)).toBeUndefined()
  expect(await vote(dora)).toMatchObject({ kind: 'settled', ask: { state: { kind: 'settled', by: 'dora' } } })

  expect((await store.asks.read(tenant, id))?.votes.map(({ groups }) => groups)).toEqual([
    ['release'],
    ['release', 'security'],
    ['security'],
  ])
  expect(await store.grants.read(tenant, id)).toMatchObject({ askId: id })
  expect(await store.audit.verify(tenant)).toMatchObject({ ok: true })
})

onEachEngine(
  '[POLICY-42] a group that was confirmed too long ago shows how an ask ended, and decides none',
  async ({ open }) => {
    const store = await open()
    const rule = ruleOf([{ anyOf: [[{ from: ['group:release'], approvals: 1 }]], excluded: [] }], 1)
    const ask = await store.asks.raise({ ...draft(), approvalRule: rule })
    const { tenant, id } = ask
    const request = {
      tenant,
      id,
      person: person('ben'),
      staleGroups: ['release'],
      via: 'inbox',
      answer: accept,
    } as const
    const ended = { ...ask, state: { kind: 'expired', atMs: store.nowMs() } } as const

    // Whatever the caller has read before: nothing, the open ask, or one that had ended.
    for (const read of [{}, { ask }, { ask: ended }])
      expect(await store.asks.answer({ ...request, ...read })).toEqual({ kind: 'not-found' })
    expect(await store.asks.read(tenant, id)).toMatchObject({ state: { kind: 'open' } })

    await store.asks.answer({ ...request, person: person('cleo', 'release') })
    expect(await store.asks.answer(request)).toMatchObject({ kind: 'ended', ask: { state: { by: 'cleo' } } })
    expect(await store.asks.answer({ ...request, ask })).toEqual({ kind: 'not-found' })
    const { staleGroups: _, ...without } = request
    expect(await store.asks.answer(without)).toEqual({ kind: 'not-found' })
  },
)

onEachEngine(
  '[AUDIT-6] votes of people in groups match the audit log, and changed groups do not',
  async ({ open, tamper }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(draft())
    for (const voter of [ben, cleo, dora])
      await store.asks.answer({ tenant, id, person: voter, via: 'inbox', answer: accept })

    expect(await store.record.verify(tenant)).toMatchObject({ ok: true, asks: 1, grants: 1 })

    for (const voter of ['ben', 'dora']) {
      const where = `where ask_id = '${id}' and voter = '${voter}'`
      const [stored] = (await tamper(`select voter_groups from votes ${where}`)) as { voter_groups: string }[]
      await tamper(`update votes set voter_groups = '["other"]' ${where}`)
      expect(await store.record.verify(tenant)).toMatchObject({ ok: false, problems: [{ subject: id }] })
      await tamper(`update votes set voter_groups = '${stored?.voter_groups}' ${where}`)
    }
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
  },
)

onEachEngine('[POLICY-22] an alternative with one approval settles at once', async ({ open }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(draft())

  const answered = await store.asks.answer({ tenant, id, person: boss, via: 'inbox', answer: accept })

  expect(answered).toMatchObject({ kind: 'settled' })
})

onEachEngine('[POLICY-22] a vote that decides alone is stored with its groups', async ({ open, tamper }) => {
  const store = await open()
  const approvalRule = ruleOf(
    [{ anyOf: [[{ from: ['group:release', 'group:other'], approvals: 1 }]], excluded: [] }],
    1,
  )
  const { tenant, id } = await store.asks.raise(anApproval([], 1, { approvalRule }))
  await store.asks.answer({ tenant, id, person: cleo, via: 'inbox', answer: accept })

  expect((await store.asks.read(tenant, id))?.state).toMatchObject({ kind: 'settled', by: 'cleo', groups: ['release'] })
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true })

  await tamper(`update asks set decided_groups = '["other","release"]' where id = '${id}'`)
  expect((await store.asks.read(tenant, id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'unverified' })
  expect(await store.record.verify(tenant)).toMatchObject({ ok: false, problems: [{ subject: id }] })
})

onEachEngine(
  '[POLICY-22] votes at the same moment at two replicas are all counted, and one settles',
  async ({ open }) => {
    const [one, two] = [await open(), await open()]
    const ask = await one.asks.raise(draft())
    const { tenant, id } = ask

    const results = await Promise.all(
      [ben, cleo, dora].map((voter, index) =>
        (index % 2 === 0 ? one : two).asks.answer({ tenant, id, person: voter, via: 'inbox', answer: accept, ask }),
      ),
    )

    expect(results.map(({ kind }) => kind).sort()).toEqual(['counted', 'counted', 'settled'])
    expect((await two.asks.read(tenant, id))?.votes).toHaveLength(3)
    expect(await one.audit.verify(tenant)).toMatchObject({ ok: true })
  },
)

onEachEngine('[POLICY-31] the requester is listed, although they may not decide', async ({ open }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(draft())
  const idsFor = async (voter: Person) =>
    (await store.inbox.page({ tenant, person: voter, show: 'open' })).asks.map((one) => one.id)

  expect(await idsFor(ann)).toEqual([id])
  expect(await idsFor(dora)).toEqual([id])
  expect(await idsFor(person('stranger'))).toEqual([])
})

onEachEngine('[POLICY-32] one decline ends it, and the votes before it give no grant', async ({ open }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(draft())
  await store.asks.answer({ tenant, id, person: ben, via: 'inbox', answer: accept })

  const answered = await store.asks.answer({ tenant, id, person: dora, via: 'inbox', answer: decline })

  expect(answered).toMatchObject({ kind: 'settled', ask: { state: { answer: { action: 'decline' } } } })
  expect(await store.grants.read(tenant, id)).toBeUndefined()
})

onEachEngine('[POLICY-23] a vote whose stored groups were changed releases nothing', async ({ open, tamper }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(draft())
  for (const voter of [ben, cleo, dora]) {
    await store.asks.answer({ tenant, id, person: voter, via: 'inbox', answer: accept })
  }
  await tamper(`update votes set voter_groups = '["release","security"]' where ask_id = '${id}' and voter = 'ben'`)

  expect((await store.asks.read(tenant, id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'unverified' })
})

onEachEngine(
  '[POLICY-22] a vote with a passkey counts, although another vote came since the ask was read',
  async ({ open }) => {
    const store = await open()
    const { key } = await addKey(store, 'cleo', new SoftwarePasskey({ counter: 5 }))
    const approvalRule = ruleOf([{ anyOf: [[{ from: ['person:ben', 'person:cleo'], approvals: 2 }]], excluded: [] }], 1)
    const ask = await store.asks.raise(anApproval([], 1, { approvalRule }))
    await store.asks.answer({ tenant: ask.tenant, id: ask.id, person: ben, via: 'inbox', answer: accept })

    const signed = signedAnswer(store, ask, 'cleo', accept, key, { counter: 6 })
    expect(await store.asks.answer({ ...signed, ask })).toMatchObject({ kind: 'settled' })
  },
)
