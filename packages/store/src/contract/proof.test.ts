import { createKeyRing, type NamedOutcome, namedOutcomeOf, verifyProof } from '@assent/core'
import { expect } from 'vitest'
import { accept, aForm, anApproval, ann, decline, inEurope, minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const tenant = 'acme'

onEachEngine('[PROOF-1] the entries of an ask are found, including the use of its grant', async ({ open }) => {
  const store = await open({ clock: stoppedClock() })
  const other = await store.asks.raise(aForm())
  const { id: ask } = await store.asks.raise(anApproval(['person:ann'], 1))
  await store.audit.append(tenant, [{ subject: ask, body: 'a note is about no ask' }])
  await store.asks.answer({ tenant, id: ask, person: ann, via: 'inbox', answer: accept })
  await store.asks.withdraw(tenant, other.id, 'unseen')
  const grant = await store.grants.read(tenant, ask)
  if (grant === undefined) throw new Error('The approval gave no grant.')
  await store.grants.use({ tenant, id: grant.id, digest: grant.digest, principal: 'ann', usedBy: 'test' })

  const proof = await store.audit.proof(tenant, ask, grant.id)
  const keys = await store.audit.keys(tenant)

  expect(proof?.entries.map(({ seq, kind }) => [seq, kind])).toEqual([
    [2, 'ask.raised'],
    [4, 'ask.settled'],
    [6, 'grant.used'],
  ])
  expect(verifyProof(proof, keys)).toMatchObject({ ok: true, head: { size: 6 } })
  expect(verifyProof(await store.audit.proof(tenant, other.id), keys).ok).toBe(true)
  expect(await store.audit.proof('other', ask)).toBeUndefined()
  const elsewhere = await open({ keys: createKeyRing([{ id: 'test', secret: new Uint8Array(32).fill(8) }]) })
  await elsewhere.audit.append('other', [{ subject: 'x', body: {} }])
  expect(verifyProof(proof, await elsewhere.audit.keys('other'))).toMatchObject({ ok: false })
})

onEachEngine('[PROOF-4] ended asks can be filtered by outcome, in consistent pages', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const raise = async (draft = aForm()) => {
    clock.advance(1)
    return (await store.asks.raise(draft)).id
  }
  const reply = (id: string, answer: unknown) => store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer })
  for (let time = 0; time < 3; time++) {
    await reply(await raise(), inEurope)
    await reply(await raise(anApproval(['person:ann'], 1)), accept)
    await reply(await raise(), decline)
    await reply(await raise(), { action: 'cancel' })
    for (const reason of ['caller-gone', 'unseen', 'undeliverable'] as const) {
      await store.asks.withdraw(tenant, await raise(), reason)
    }
  }
  await raise(aForm({ decideWithinMs: minuteMs }))
  clock.advance(minuteMs)
  await store.sweep()

  const ended = { tenant, person: ann, show: 'ended' } as const
  const counts: Partial<Record<NamedOutcome, number>> = {
    answered: 3,
    approved: 3,
    declined: 3,
    dismissed: 3,
    expired: 1,
    withdrawn: 3,
    unseen: 3,
    undeliverable: 3,
  }
  for (const [outcome, count] of Object.entries(counts) as [NamedOutcome, number][]) {
    const ids = new Set<string>()
    let cursor: string | undefined
    do {
      const page = await store.inbox.page({ ...ended, outcome, pageSize: 2, ...(cursor && { cursor }) })
      for (const ask of page.asks) {
        expect(namedOutcomeOf(ask.question, ask.state)).toBe(outcome)
        ids.add(ask.id)
      }
      cursor = page.next
    } while (cursor !== undefined)
    expect([outcome, ids.size]).toEqual([outcome, count])
  }
  expect((await store.inbox.page({ ...ended, outcome: 'approved', kind: 'approval' })).asks).toHaveLength(3)
  await expect(store.inbox.page({ ...ended, show: 'open', outcome: 'approved' })).rejects.toMatchObject({
    code: 'validation_failed',
  })
})
