// Following the changes of a tenant's asks, and statistics of how they ended.

import { expect } from 'vitest'
import { accept, aForm, anApproval, ann, ben, decline, inEurope, minuteMs, person } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const tenant = 'acme'

onEachEngine(
  '[INBOX-5] every change of an ask is listed once, in order, and can be read from any position',
  async ({ open }) => {
    const store = await open()
    expect(await store.changes.last(tenant)).toBe(0)
    const form = await store.asks.raise(aForm())
    const both = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 2))
    await store.asks.answer({ tenant, id: both.id, person: ann, via: 'inbox', answer: accept })
    await store.audit.append(tenant, [{ subject: 'x', body: {} }])
    await store.asks.answer({ tenant, id: both.id, person: ben, via: 'inbox', answer: decline })
    await store.asks.withdraw(tenant, form.id, 'caller-gone')

    const all = await store.changes.since(tenant, 0, 100)
    expect(all.changes.map(({ id, move }) => [id, move])).toEqual([
      [form.id, 'raised'],
      [both.id, 'raised'],
      [both.id, 'voted'],
      [both.id, 'settled'],
      [form.id, 'withdrawn'],
    ])
    expect(all).toMatchObject({ more: false, lastSeq: await store.changes.last(tenant) })

    const first = await store.changes.since(tenant, 0, 4)
    expect(first).toMatchObject({ more: true, lastSeq: 4 })
    const rest = await store.changes.since(tenant, first.lastSeq, 4)
    expect([...first.changes, ...rest.changes]).toEqual(all.changes)
    expect((await store.changes.since('other', 0, 100)).changes).toEqual([])
  },
)

onEachEngine('[INBOX-5] a waiter for a tenant is notified of a change in another process', async ({ open }) => {
  const [here, there] = [await open({ pollMs: 10 * minuteMs }), await open({ pollMs: 10 * minuteMs })]
  await there.asks.raise(aForm())
  const waiter = here.changes.listen(tenant)
  try {
    // LISTEN begins in the background: until then a signal may be missed. So asks are changed until one signal arrives.
    let last = await here.changes.last(tenant)
    for (let round = 0; round < 3; round++) {
      const ask = await there.asks.raise(aForm())
      const deadline = Date.now() + minuteMs
      while ((await here.changes.since(tenant, last, 10)).changes.every(({ id }) => id !== ask.id)) {
        if (Date.now() > deadline) throw new Error('The raised ask was never listed.')
        await waiter.wait(1_000)
      }
      last = await here.changes.last(tenant)
    }
    const startedAt = Date.now()
    const notified = waiter.wait(90_000)
    await there.asks.raise(aForm())
    await notified
    expect(Date.now() - startedAt).toBeLessThan(minuteMs)
  } finally {
    waiter.close()
  }
})

onEachEngine('[INBOX-6] the statistics of a person include only asks that they may see', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const since = clock()
  const raise = async (draft: Parameters<typeof store.asks.raise>[0]) => (await store.asks.raise(draft)).id
  const yes = await raise(aForm())
  const no = await raise(aForm())
  const neither = await raise(aForm({ asker: { server: 'github' } }))
  const gone = await raise(aForm())
  const unseen = await raise(aForm())
  await raise(aForm({ decideWithinMs: minuteMs }))
  await raise(aForm())
  const answer = (id: string, content: unknown) =>
    store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: content })
  clock.advance(5_000)
  await answer(yes, inEurope)
  await answer(no, decline)
  await answer(neither, { action: 'cancel' })
  await store.asks.withdraw(tenant, gone, 'caller-gone')
  await store.asks.withdraw(tenant, unseen, 'unseen')
  clock.advance(minuteMs)
  await store.sweep()

  const query = { tenant, person: ann, sinceMs: since, atMost: 100 }
  const { ended, complete } = await store.inbox.statistics(query)
  expect(ended.map(({ outcome }) => outcome).toSorted()).toEqual(
    ['answered', 'declined', 'dismissed', 'withdrawn', 'unseen', 'expired'].toSorted(),
  )
  expect(ended.filter(({ outcome }) => outcome === 'dismissed')).toEqual([
    { server: 'github', tool: undefined, outcome: 'dismissed', tookMs: 5_000 },
  ])
  expect(complete).toBe(true)
  expect(await store.inbox.statistics({ ...query, atMost: 2 })).toMatchObject({
    complete: false,
    ended: { length: 2 },
  })
  expect((await store.inbox.statistics({ ...query, sinceMs: clock() })).ended).toEqual([])
  expect((await store.inbox.statistics({ ...query, person: ben })).ended).toEqual([])

  const excluded = { approvers: ['group:ops'], excluded: ['ann'], approvals: 1, declines: 1 } as const
  const group = await raise(anApproval([], 1, { approvalRule: excluded }))
  await store.asks.answer({ tenant, id: group, person: person('ben', 'ops'), via: 'inbox', answer: decline })
  expect((await store.inbox.statistics({ ...query, person: person('ann', 'ops') })).ended).toHaveLength(6)
  expect((await store.inbox.statistics({ ...query, person: person('cleo', 'ops') })).ended).toHaveLength(1)
  await expect(store.inbox.statistics({ ...query, atMost: 0 })).rejects.toMatchObject({ code: 'validation_failed' })
})
