import type { Ask } from '@assent/core'
import { expect } from 'vitest'
import type { InboxQuery, Store } from '../index.ts'
import { accept, aForm, anApproval, ann, ben, inEurope, minuteMs, person } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const forAnn = { tenant: 'acme', person: ann, show: 'open' } as const

onEachEngine('[STORE-8] the inbox lists the open asks of a person, newest first', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const raised: Ask[] = []
  for (let index = 0; index < 5; index++) {
    raised.push(await store.asks.raise(aForm()))
    clock.advance(1_000)
  }
  const forBen = { ...aForm().approvalRule, approvers: ['person:ben'] as const }
  await store.asks.raise(aForm({ principal: 'ben', approvalRule: forBen }))

  const { asks, next } = await store.inbox.page(forAnn)

  expect(asks).toEqual(raised.toReversed())
  expect(next).toBeUndefined()
})

onEachEngine(
  '[STORE-8] pages neither repeat nor skip asks, while asks are raised and end between them',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const ids: string[] = []
    for (let index = 0; index < 23; index++) {
      ids.push((await store.asks.raise(aForm())).id)
      // Several in the same millisecond, so that the time alone does not determine their order.
      if (index % 4 === 0) clock.advance(1)
    }

    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.inbox.page({ ...forAnn, pageSize: 5, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...page.asks.map(({ id }) => id))
      cursor = page.next
      clock.advance(1)
      await store.asks.raise(aForm())
      const [gone] = page.asks
      await store.asks.answer({ tenant: 'acme', id: gone?.id ?? '', person: ann, via: 'inbox', answer: inEurope })
    } while (cursor !== undefined)

    expect(seen).toHaveLength(23)
    expect(seen.toSorted()).toEqual(ids.toSorted())
  },
)

onEachEngine(
  '[STORE-8] a person sees the asks of their groups once, and none that they are excluded from',
  async ({ open }) => {
    const store = await open({ clock: stoppedClock() })
    const both = await store.asks.raise(anApproval(['person:ann', 'group:ops', 'group:dev'], 1))
    const ofZoe = { principal: 'zoe' }
    const group = await store.asks.raise(anApproval(['group:ops'], 1, ofZoe))
    const excluded = { approvers: ['group:ops'], excluded: ['ann'], approvals: 1, declines: 1 } as const
    await store.asks.raise(anApproval([], 1, { approvalRule: excluded, ...ofZoe }))

    const ids = await idsOf(store, { ...forAnn, person: person('ann', 'ops', 'dev') })
    expect(ids.toSorted()).toEqual([both.id, group.id].toSorted())
    expect(await idsOf(store, forAnn)).toEqual([both.id])
    expect(await idsOf(store, { ...forAnn, person: ben })).toEqual([])
  },
)

onEachEngine('[STORE-8] a page can be filtered by server and by kind', async ({ open }) => {
  const store = await open()
  const deploy = await store.asks.raise(aForm())
  const github = await store.asks.raise(aForm({ asker: { server: 'github' } }))
  const approval = await store.asks.raise(anApproval(['person:ann'], 1, { asker: { server: 'github' } }))

  expect(await idsOf(store, { ...forAnn, server: 'deploy' })).toEqual([deploy.id])
  expect((await idsOf(store, { ...forAnn, server: 'github' })).toSorted()).toEqual([github.id, approval.id].toSorted())
  expect(await idsOf(store, { ...forAnn, kind: 'approval' })).toEqual([approval.id])
  expect(await idsOf(store, { ...forAnn, server: 'github', kind: 'form' })).toEqual([github.id])
  expect(await idsOf(store, { ...forAnn, server: 'nobody' })).toEqual([])
})

onEachEngine('[STORE-8] an ended ask moves from the open to the ended list, also at its deadline', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const answered = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 1))
  const overdue = await store.asks.raise(aForm({ decideWithinMs: minuteMs }))
  await store.asks.answer({ tenant: 'acme', id: answered.id, person: ben, via: 'inbox', answer: accept })

  expect(await idsOf(store, forAnn)).toEqual([overdue.id])
  expect(await idsOf(store, { ...forAnn, show: 'ended' })).toEqual([answered.id])
  clock.advance(minuteMs)
  expect(await idsOf(store, forAnn)).toEqual([])
  expect(await store.sweep()).toMatchObject({ expired: 1 })
  expect((await idsOf(store, { ...forAnn, show: 'ended' })).toSorted()).toEqual([answered.id, overdue.id].toSorted())
})

onEachEngine('[STORE-8] ended asks are listed by the time of their end, over all pages', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const raised: string[] = []
  for (let index = 0; index < 9; index++) {
    raised.push((await store.asks.raise(aForm({ decideWithinMs: minuteMs }))).id)
    clock.advance(10)
  }
  // Answered, withdrawn and expired, in another order than they were raised.
  const ended: string[] = []
  for (const at of [4, 0, 7, 2]) {
    const id = raised[at] ?? ''
    ended.push(id)
    if (at % 4 === 0) await store.asks.answer({ tenant: 'acme', id, person: ann, via: 'inbox', answer: inEurope })
    else await store.asks.withdraw('acme', id, 'caller-gone')
    clock.advance(1_000)
  }
  clock.advance(minuteMs)
  await store.sweep()

  const seen: string[] = []
  let cursor: string | undefined
  do {
    const show = { ...forAnn, show: 'ended', pageSize: 2 } as const
    const page = await store.inbox.page({ ...show, ...(cursor === undefined ? {} : { cursor }) })
    seen.push(...page.asks.map(({ id }) => id))
    cursor = page.next
  } while (cursor !== undefined)

  expect(seen.slice(5)).toEqual(ended.toReversed())
  expect(seen.slice(0, 5).toSorted()).toEqual(raised.filter((id) => !ended.includes(id)).toSorted())
})

onEachEngine('[STORE-8] votes so far are shown with the ask', async ({ open }) => {
  const store = await open()
  const { tenant, id } = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 2))
  await store.asks.answer({ tenant, id, person: ben, via: 'inbox', answer: accept })

  const { asks } = await store.inbox.page(forAnn)

  expect(asks).toMatchObject([{ id, votes: [{ by: 'ben', answer: accept }] }])
})

onEachEngine('[STORE-8] an invalid cursor and an invalid page size are refused', async ({ open }) => {
  const store = await open()
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  for (const cursor of ['', '%', encode([]), encode(['1', 'x']), encode([1, 2]), encode(null), encode({ 0: 1 })]) {
    await expect(store.inbox.page({ ...forAnn, cursor })).rejects.toMatchObject({ code: 'validation_failed' })
  }
  for (const pageSize of [0, 101, 1.5, Number.NaN]) {
    await expect(store.inbox.page({ ...forAnn, pageSize })).rejects.toMatchObject({ code: 'validation_failed' })
  }
})

async function idsOf(store: Store, query: InboxQuery): Promise<string[]> {
  return (await store.inbox.page(query)).asks.map(({ id }) => id)
}
