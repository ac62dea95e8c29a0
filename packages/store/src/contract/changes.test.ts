// Following the changes of a tenant's asks, and statistics of how they ended.

import type { Approver, AskDraft } from '@assent/core'
import { expect, onTestFinished, test } from 'vitest'
import { hasServices } from '../../../../test-kit/services.ts'
import type { ChangeListener } from '../index.ts'
import { storeLimits } from '../limits.ts'
import { accept, aForm, anApproval, ann, ben, decline, inEurope, minuteMs, person } from './drafts.suite.ts'
import { onEachEngine, onPostgres, stoppedClock } from './engines.suite.ts'

const tenant = 'acme'
const everyone = ['person:ann', 'person:ben'] as const

onEachEngine(
  '[INBOX-5] every change of an ask is listed once, in order, and can be read from any position',
  async ({ open }) => {
    const store = await open()
    const form = await store.asks.raise(aForm())
    const both = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 2))
    await store.asks.answer({ tenant, id: both.id, person: ann, via: 'inbox', answer: accept })
    await store.audit.append(tenant, [{ subject: 'x', body: {} }])
    await store.asks.answer({ tenant, id: both.id, person: ben, via: 'inbox', answer: decline })
    await store.asks.withdraw(tenant, form.id, 'caller-gone')

    const all = await store.changes.since(tenant, everyone, '0', 100)
    expect(all.changes.map(({ id, move }) => [id, move])).toEqual([
      [form.id, 'raised'],
      [both.id, 'raised'],
      [both.id, 'voted'],
      [both.id, 'settled'],
      [form.id, 'withdrawn'],
    ])
    expect(all.more).toBe(false)
    expect((await store.changes.since(tenant, everyone, await store.changes.last(tenant), 100)).changes).toEqual([])
    expect((await store.changes.since(tenant, everyone, all.position, 100)).changes).toEqual([])

    const first = await store.changes.since(tenant, everyone, '0', 4)
    expect(first.more).toBe(true)
    const rest = await store.changes.since(tenant, everyone, first.position, 4)
    expect([...first.changes, ...rest.changes]).toEqual(all.changes)
    expect((await store.changes.since('other', everyone, '0', 100)).changes).toEqual([])
  },
)

onEachEngine(
  '[STORE-45] changes are read only for the given approvers, and the position advances past others',
  async ({ open }) => {
    const store = await open()
    const mine = await store.asks.raise(aForm())
    const ops = await store.asks.raise(anApproval(['group:ops', 'person:cleo'], 1, { principal: 'zoe' }))
    await store.asks.withdraw(tenant, mine.id, 'caller-gone')
    const read = async (...approvers: string[]) => {
      const found = await store.changes.since(tenant, approvers, '0', 100)
      expect((await store.changes.since(tenant, everyone, found.position, 100)).changes).toEqual([])
      return found.changes.map(({ id, move }) => [id, move])
    }

    expect(await read('person:ann')).toEqual([
      [mine.id, 'raised'],
      [mine.id, 'withdrawn'],
    ])
    expect(await read('person:ben', 'group:ops')).toEqual([[ops.id, 'raised']])
    expect(await read('person:ben')).toEqual([])
    expect(await read()).toEqual([])
  },
)

onEachEngine(
  '[STORE-45] a listener is notified of changes that concern its people, in any process',
  async ({ open }) => {
    const [here, there] = [await open({ pollMs: 10 * minuteMs }), await open({ pollMs: 10 * minuteMs })]
    const listener = here.changes.listen(tenant)
    onTestFinished(() => listener.close())
    listener.add(person('cleo', 'ops'))
    const manyPeople = Array.from(
      { length: storeLimits.signalApprovers + 1 },
      (_, index): Approver => `person:p${index}`,
    )
    // LISTEN begins in the background: until then a signal may be missed.
    const raise = (draft: AskDraft) => there.asks.raise(draft)
    while (!(await listener.wait(200))) await raise(anApproval(['person:cleo'], 1))
    await quiet(listener)

    await raise(anApproval(['group:ops'], 1))
    expect(await listener.wait(minuteMs)).toBe(true)
    await raise(anApproval(manyPeople, 1))
    expect(await listener.wait(minuteMs)).toBe(true)
    const { id } = await raise(anApproval(['person:ben', 'person:cleo'], 1))
    expect(await listener.wait(minuteMs)).toBe(true)
    await there.asks.withdraw(tenant, id, 'caller-gone')
    expect(await listener.wait(minuteMs)).toBe(true)
    await here.asks.raise(anApproval(['group:ops'], 1))
    expect(await listener.wait(minuteMs)).toBe(true)
  },
)

test.skipIf(!hasServices)(
  '[STORE-45] a change that does not concern its people does not notify a listener (PostgreSQL)',
  () =>
    onPostgres(async ({ open }) => {
      const [here, there] = [await open({ pollMs: 10 * minuteMs }), await open({ pollMs: 10 * minuteMs })]
      const listener = here.changes.listen(tenant)
      onTestFinished(() => listener.close())
      listener.add(ben)
      listener.add(ben)
      listener.remove(ben)
      while (!(await listener.wait(200))) await there.asks.raise(anApproval(['person:ben'], 1))
      await quiet(listener)

      const received = here.notifications.received
      const { id } = await there.asks.raise(aForm())
      await there.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: inEurope })
      await here.asks.raise(aForm())

      expect(await listener.wait(500)).toBe(false)
      expect(here.notifications.received).toBeGreaterThan(received)
    }),
)

onEachEngine('[STORE-45] a process ignores its own notifications', async ({ open }) => {
  const [here, there] = [await open({ pollMs: 10 * minuteMs }), await open({ pollMs: 10 * minuteMs })]
  const listener = here.changes.listen(tenant)
  onTestFinished(() => listener.close())
  listener.add(ann)
  while (!(await listener.wait(200))) await there.asks.raise(aForm())
  await quiet(listener)
  const received = here.notifications.received

  await here.asks.raise(aForm())
  expect(await listener.wait(minuteMs)).toBe(true)
  expect(await listener.wait(500)).toBe(false)
  expect(here.notifications.received).toBe(received)
})

/** Until no signal of an earlier change is on its way. */
async function quiet(listener: ChangeListener): Promise<void> {
  while (await listener.wait(300));
}

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
    { server: 'github', outcome: 'dismissed', raisedAtMs: since, tookMs: 5_000, decidedBy: 'ann' },
  ])
  expect(complete).toBe(true)
  expect(await store.inbox.statistics({ ...query, atMost: 2 })).toMatchObject({
    complete: false,
    ended: { length: 2 },
  })
  expect((await store.inbox.statistics({ ...query, sinceMs: clock() })).ended).toEqual([])
  expect((await store.inbox.statistics({ ...query, person: ben })).ended).toEqual([])

  const excluded = { approvers: ['group:ops'], excluded: ['ann'], approvals: 1, declines: 1 } as const
  const group = await raise(anApproval([], 1, { approvalRule: excluded, principal: 'zoe' }))
  await store.asks.answer({ tenant, id: group, person: person('ben', 'ops'), via: 'inbox', answer: decline })
  expect((await store.inbox.statistics({ ...query, person: person('ann', 'ops') })).ended).toHaveLength(6)
  expect((await store.inbox.statistics({ ...query, person: person('cleo', 'ops') })).ended).toHaveLength(1)
  await expect(store.inbox.statistics({ ...query, atMost: 0 })).rejects.toMatchObject({ code: 'validation_failed' })
})
