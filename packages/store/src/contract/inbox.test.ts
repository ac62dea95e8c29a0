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

onEachEngine('[STORE-8] ended asks can be limited to a tool and to a time', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const ended: string[] = []
  const times: number[] = []
  for (const tool of ['one', 'two', 'one', 'two']) {
    clock.advance(minuteMs)
    const { id } = await store.asks.raise(aForm({ asker: { server: 'studio', tool } }))
    await store.asks.answer({ tenant: 'acme', id, person: ann, via: 'inbox', answer: inEurope })
    ended.push(id)
    times.push(store.nowMs())
  }
  const idsOf = async (filter: Partial<InboxQuery>) => {
    const { asks, next } = await store.inbox.page({ ...forAnn, show: 'ended', ...filter })
    return { ids: asks.map(({ id }) => ended.indexOf(id)), hasMore: next !== undefined }
  }
  const [, second = 0, third = 0, fourth = 0] = times
  expect(await idsOf({ tool: 'one' })).toEqual({ ids: [2, 0], hasMore: false })
  expect(await idsOf({ fromMs: second })).toEqual({ ids: [3, 2, 1], hasMore: false })
  expect(await idsOf({ untilMs: fourth })).toEqual({ ids: [2, 1, 0], hasMore: false })
  expect(await idsOf({ fromMs: second, untilMs: fourth, tool: 'two' })).toEqual({ ids: [1], hasMore: false })
  // The last page ends where the time does, also if older asks follow.
  expect(await idsOf({ fromMs: third, pageSize: 2 })).toEqual({ ids: [3, 2], hasMore: false })
  expect(await idsOf({ fromMs: third, pageSize: 1 })).toEqual({ ids: [3], hasMore: true })
  await expect(store.inbox.page({ ...forAnn, fromMs: 1 })).rejects.toThrow('Open asks have no outcome and no end yet')
})

onEachEngine(
  '[PROOF-5] ended asks are filtered by agent and by project, whatever their names contain',
  async ({ open }) => {
    const store = await open({ clock: stoppedClock() })
    const callers = [
      { client: 'Claude Code', folder: 'shop', branch: 'main' },
      { client: 'Codex', folder: 'shop' },
      { client: 'Codex', folder: 'C:\\shop "new" ü' },
      { client: 'x","folder":"blog' },
      { folder: 'Codex' },
      undefined,
    ]
    const ids: string[] = []
    for (const caller of callers) {
      const { id } = await store.asks.raise(aForm(caller === undefined ? {} : { caller }))
      await store.asks.withdraw('acme', id, 'caller-gone')
      ids.push(id)
    }
    const found = async (filter: Partial<InboxQuery>) => {
      const { asks, next } = await store.inbox.page({ ...forAnn, show: 'ended', ...filter })
      expect(next).toBeUndefined()
      return asks.map(({ id }) => ids.indexOf(id)).toSorted()
    }

    expect(await found({ agent: 'Codex' })).toEqual([1, 2])
    expect(await found({ agent: 'codex' })).toEqual([])
    expect(await found({ project: 'shop' })).toEqual([0, 1])
    expect(await found({ agent: 'Codex', project: 'shop' })).toEqual([1])
    expect(await found({ project: 'C:\\shop "new" ü' })).toEqual([2])
    expect(await found({ project: 'blog' })).toEqual([])
    expect(await found({ agent: 'x","folder":"blog' })).toEqual([3])
    expect(await found({ agent: 'Codex', outcome: 'declined' })).toEqual([])
  },
)

onEachEngine(
  '[PROOF-6] a page with filters looks at 2,000 asks, states how far it got, and the next one continues there',
  async ({ open, tamper }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const raise = async (client: string) => {
      const { id } = await store.asks.raise(aForm({ caller: { client }, asker: { server: 'deploy', tool: client } }))
      await store.asks.withdraw('acme', id, 'caller-gone')
      return id
    }
    const old = [await raise('Codex'), await raise('Codex')]
    const oldestMs = store.nowMs()
    const approver = 'person:ann'
    // Asks that ended since then, one per millisecond. A filter looks at each, so that they need no row of their own.
    await tamper(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 4500)
      insert into ask_approvers (tenant, ask_id, approver, server, kind, raised_at, decide_by, is_open, ended_at)
      select 'acme', 'ask_' || n, '${approver}', 'other', 'form', ${oldestMs} + n, ${oldestMs} + n, 0, ${oldestMs} + n from numbers`)
    clock.advance(minuteMs)
    const latest = await raise('Codex')

    for (const filter of [
      { agent: 'Codex' },
      { tool: 'Codex' },
      { server: 'deploy' },
      { outcome: 'withdrawn' },
    ] as const) {
      const query = { ...forAnn, show: 'ended', ...filter } as const
      const first = await store.inbox.page(query)
      expect(first).toMatchObject({ asks: [{ id: latest }], searchedToMs: oldestMs + 4_500 - 1_998 })
      const second = await store.inbox.page({ ...query, cursor: first.next ?? '' })
      expect(second).toMatchObject({ asks: [], searchedToMs: oldestMs + 4_500 - 3_998 })
      const third = await store.inbox.page({ ...query, cursor: second.next ?? '' })
      expect(third.asks.map(({ id }) => id).toSorted()).toEqual(old.toSorted())
      expect(third).not.toHaveProperty('next')
      expect(third).not.toHaveProperty('searchedToMs')
      // A full page ends with its last ask.
      const one = await store.inbox.page({ ...query, cursor: second.next ?? '', pageSize: 1 })
      expect(one).toMatchObject({ asks: [{}], next: expect.any(String) })
      expect(one).not.toHaveProperty('searchedToMs')
      // A time limits the search too.
      expect(await store.inbox.page({ ...query, fromMs: oldestMs + 4_000 })).toEqual({ asks: first.asks })
    }
    expect(await store.inbox.page({ ...forAnn, show: 'ended', pageSize: 5 })).not.toHaveProperty('searchedToMs')
  },
)

onEachEngine(
  '[PROOF-6] a search under several names of a person stops at the same place for all of them',
  async ({ open, tamper }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const ids: string[] = []
    const raise = async (group: 'ops' | 'dev') => {
      const caller = { client: 'Codex' }
      const { id } = await store.asks.raise(anApproval([`group:${group}`], 1, { principal: 'zoe', caller }))
      await store.asks.withdraw('acme', id, 'caller-gone')
      ids.push(id)
      clock.advance(1)
    }
    await raise('dev')
    await raise('ops')
    const fromMs = store.nowMs()
    await tamper(`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < 2500)
      insert into ask_approvers (tenant, ask_id, approver, server, kind, raised_at, decide_by, is_open, ended_at)
      select 'acme', 'ask_' || n, 'group:ops', 'other', 'form', ${fromMs} + n, ${fromMs} + n, 0, ${fromMs} + n from numbers`)
    clock.advance(minuteMs)
    await raise('ops')
    const query = { ...forAnn, person: person('ann', 'ops', 'dev'), show: 'ended', agent: 'Codex' } as const

    const first = await store.inbox.page(query)
    expect(first).toMatchObject({ asks: [{ id: ids[2] }], searchedToMs: fromMs + 2_500 - 1_998 })
    const second = await store.inbox.page({ ...query, cursor: first.next ?? '' })
    expect(second.asks.map(({ id }) => id)).toEqual([ids[1], ids[0]])
    expect(second).not.toHaveProperty('next')
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
