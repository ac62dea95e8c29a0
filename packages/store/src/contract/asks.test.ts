import { askOutcomeOf, soleApprover } from '@assent/core'
import { expect } from 'vitest'
import {
  accept,
  aForm,
  anApproval,
  anId,
  ann,
  ben,
  cancel,
  cleo,
  decline,
  inEurope,
  minuteMs,
  noon,
  person,
} from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

onEachEngine('[STORE-1] an ask is read as it was raised, whatever characters it contains', async ({ open }) => {
  const store = await open({ clock: stoppedClock() })
  const hostile = '\u0000 \u2028 ’ 🦔 \u202e </script> \n'
  const drafts = [
    aForm({ callId: anId('call') }),
    aForm({ question: { kind: 'url', message: hostile, url: 'https://a.example/?q=1' }, asker: { server: 'deploy' } }),
    anApproval(['person:ann', 'group:ops'], 2, { tenant: 'tenant with spaces' }),
  ]

  for (const draft of drafts) {
    const { decideWithinMs, ...kept } = draft
    const expected = {
      ...kept,
      raisedAtMs: noon,
      decideByMs: noon + decideWithinMs,
      votes: [],
      lastSeenAtMs: noon,
      state: { kind: 'open' },
    }
    expect(await store.asks.raise(draft)).toEqual(expected)
    expect(await store.asks.read(draft.tenant, draft.id)).toEqual(expected)
  }
})

onEachEngine(
  '[STORE-1] raising the same ask again returns it, and a different ask with its id is refused',
  async ({ open }) => {
    const store = await open()
    const draft = aForm()
    const first = await store.asks.raise(draft)

    expect(await store.asks.raise(draft)).toEqual(first)
    await expect(store.asks.raise({ ...draft, principal: 'ben' })).rejects.toMatchObject({ code: 'validation_failed' })
    expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 1 })
  },
)

onEachEngine('[ASK-9] an invalid ask is refused before it is stored', async ({ open }) => {
  const store = await open()
  const draft = aForm({ decideWithinMs: 1 })

  await expect(store.asks.raise(draft)).rejects.toMatchObject({ code: 'validation_failed' })
  expect(await store.asks.read('acme', draft.id)).toBeUndefined()
})

onEachEngine('[STORE-3] an answer settles an ask for every reader', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const draft = aForm()
  await store.asks.raise(draft)
  clock.advance(minuteMs)

  const answered = await store.asks.answer({
    ...to(draft),
    person: ann,
    via: 'inbox',
    answer: inEurope,
    decisionId: 'd1',
  })

  const settled = {
    kind: 'settled',
    answer: inEurope,
    by: 'ann',
    via: 'inbox',
    atMs: noon + minuteMs,
    decisionId: 'd1',
  }
  expect(answered).toMatchObject({ kind: 'settled', ask: { state: settled } })
  const read = await store.asks.read('acme', draft.id)
  expect(read?.state).toEqual(settled)
  // A request that waits in this process does not read it again.
  expect(await store.asks.wait('acme', draft.id)).toEqual(read)
})

onEachEngine('[ASK-4] of two answers that arrive together, exactly one counts', async ({ open }) => {
  const stores = [await open(), await open(), await open()]
  const draft = anApproval(['person:ann', 'person:ben'], 1)
  await stores[0]?.asks.raise(draft)

  const outcomes = await Promise.all(
    stores.flatMap((store) => [
      store.asks.answer({ ...to(draft), person: ann, via: 'inbox', answer: accept }),
      store.asks.answer({ ...to(draft), person: ben, via: 'terminal', answer: decline }),
    ]),
  )

  expect(outcomes.filter(({ kind }) => kind === 'settled')).toHaveLength(1)
  expect(outcomes.filter(({ kind }) => kind === 'ended')).toHaveLength(5)
  const [settled, ...others] = outcomes.map((outcome) => ('ask' in outcome ? outcome.ask.state : undefined))
  for (const other of others) expect(other).toEqual(settled)
})

onEachEngine('[STORE-5] the result of a late answer shows who settled the ask, how and when', async ({ open }) => {
  const store = await open({ clock: stoppedClock() })
  const draft = anApproval(['person:ann', 'person:ben'], 1)
  await store.asks.raise(draft)
  const no = { action: 'decline', comment: 'wrong region' }
  await store.asks.answer({ ...to(draft), person: ann, via: 'terminal', answer: no })

  const settled = { state: { kind: 'settled', by: 'ann', via: 'terminal', answer: no, atMs: noon } }
  const late = await store.asks.answer({ ...to(draft), person: ben, via: 'inbox', answer: accept })
  expect(late).toMatchObject({ kind: 'ended', ask: settled })
  const malformed = await store.asks.answer({ ...to(draft), person: ben, via: 'inbox', answer: 'yes' })
  expect(malformed).toMatchObject({ kind: 'ended', ask: settled })
  expect(await store.asks.withdraw('acme', draft.id, 'caller-gone')).toMatchObject({ kind: 'ended', ask: settled })
  expect(await store.asks.expire('acme', draft.id)).toMatchObject({ kind: 'ended', ask: settled })
})

onEachEngine(
  '[STORE-5] [ASK-7] an ask that the caller read earlier does not override its current state',
  async ({ open }) => {
    const store = await open()
    const { tenant, id } = await store.asks.raise(aForm())
    const read = await store.asks.read(tenant, id)
    const other = await store.asks.raise(aForm({ approvalRule: soleApprover('ben'), principal: 'ben' }))
    if (read === undefined) throw new Error('The raised ask was not found.')
    const answer = { tenant, id, via: 'inbox', answer: inEurope } as const
    expect(await store.asks.answer({ ...answer, person: ann, ask: read })).toMatchObject({ kind: 'settled' })

    const late = await store.asks.answer({ ...answer, person: ann, ask: read })
    expect(late).toMatchObject({ kind: 'ended', ask: { state: { kind: 'settled', by: 'ann' } } })
    const foreign = { ...answer, id: other.id, person: ann, ask: read }
    expect(await store.asks.answer(foreign)).toEqual({ kind: 'not-found' })
    expect((await store.asks.read(tenant, other.id))?.state.kind).toBe('open')
  },
)

onEachEngine('[STORE-4] the same decision sent twice is one decision', async ({ open }) => {
  const store = await open()
  const draft = aForm()
  await store.asks.raise(draft)
  const request = { ...to(draft), person: ann, via: 'inbox', answer: inEurope, decisionId: 'd1' } as const

  const [first, second] = await Promise.all([store.asks.answer(request), store.asks.answer(request)])
  const third = await store.asks.answer(request)

  for (const answered of [first, second, third]) expect(answered).toMatchObject({ kind: 'settled' })
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 2 })
})

onEachEngine('[STORE-4] a decision id sent again with another answer is a conflict', async ({ open }) => {
  const store = await open()
  const draft = aForm()
  await store.asks.raise(draft)
  const request = { ...to(draft), person: ann, via: 'inbox', answer: inEurope, decisionId: 'd1' } as const
  await store.asks.answer(request)

  expect(await store.asks.answer({ ...request, answer: decline })).toEqual({ kind: 'conflict' })
  const other = { action: 'accept', content: { region: 'us' } }
  expect(await store.asks.answer({ ...request, answer: other })).toEqual({ kind: 'conflict' })
})

onEachEngine('[ASK-2] an invalid answer changes nothing, and the ask stays open', async ({ open }) => {
  const store = await open()
  const draft = aForm()
  await store.asks.raise(draft)
  const request = { ...to(draft), person: ann, via: 'inbox' } as const

  expect(await store.asks.answer({ ...request, answer: accept })).toMatchObject({ kind: 'invalid' })
  expect(await store.asks.answer({ ...request, answer: { action: 'yes' } })).toMatchObject({ kind: 'malformed' })
  expect((await store.asks.read('acme', draft.id))?.state).toEqual({ kind: 'open' })
})

onEachEngine('[ASK-7] for anyone who may not decide, the ask does not exist', async ({ open }) => {
  const store = await open()
  const approvalRule = { approvers: ['group:ops'], excluded: ['ben'], approvals: 1, declines: 1 } as const
  const draft = aForm({ approvalRule })
  await store.asks.raise(draft)
  const answer = { ...to(draft), via: 'inbox', answer: inEurope } as const

  const strangers = [cleo, person('ben', 'ops'), person('group:ops'), person('ann', 'oops')]
  for (const stranger of strangers) {
    expect(await store.asks.answer({ ...answer, person: stranger })).toEqual({ kind: 'not-found' })
  }
  expect(await store.asks.answer({ ...answer, id: anId(), person: ann })).toEqual({ kind: 'not-found' })
  expect(await store.asks.answer({ ...answer, person: person('dora', 'ops') })).toMatchObject({ kind: 'settled' })
})

onEachEngine('[STORE-11] a tenant can neither see nor decide asks of another tenant', async ({ open }) => {
  const store = await open()
  const draft = aForm()
  await store.asks.raise(draft)
  const elsewhere = { tenant: 'umbrella', id: draft.id }

  expect(await store.asks.read('umbrella', draft.id)).toBeUndefined()
  expect(await store.asks.answer({ ...elsewhere, person: ann, via: 'inbox', answer: inEurope })).toEqual({
    kind: 'not-found',
  })
  expect(await store.asks.withdraw('umbrella', draft.id, 'caller-gone')).toEqual({ kind: 'not-found' })
  expect((await store.inbox.page({ tenant: 'umbrella', person: ann, show: 'open' })).asks).toEqual([])
  await store.asks.raise({ ...draft, tenant: 'umbrella' })
  expect((await store.asks.read('acme', draft.id))?.state.kind).toBe('open')
})

onEachEngine(
  '[ASK-5] an answer after the deadline gets an expired ask, and the audit log has its expiry',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const draft = aForm()
    await store.asks.raise(draft)
    clock.advance(draft.decideWithinMs - 1)
    expect(await store.asks.expire('acme', draft.id)).toEqual({ kind: 'not-due' })
    clock.advance(1)

    const expired = { kind: 'expired', atMs: noon + draft.decideWithinMs }
    expect((await store.asks.read('acme', draft.id))?.state).toEqual(expired)
    const late = await store.asks.answer({ ...to(draft), person: ann, via: 'inbox', answer: inEurope })
    expect(late).toMatchObject({ kind: 'ended', ask: { state: expired } })
    expect(await store.asks.withdraw('acme', draft.id, 'caller-gone')).toMatchObject({ kind: 'ended' })
    expect(await kinds(store, 'acme')).toEqual(['ask.raised', 'ask.expired'])
  },
)

onEachEngine(
  '[ASK-5] an answer is too late if the deadline passes between the read and the deciding statement',
  async ({ open }) => {
    const raising = await open({ clock: stoppedClock() })
    const draft = aForm()
    await raising.asks.raise(draft)
    let clockReads = 0
    const store = await open({ clock: () => noon + draft.decideWithinMs - (clockReads++ === 0 ? 1 : 0) })

    const answered = await store.asks.answer({ ...to(draft), person: ann, via: 'inbox', answer: inEurope })

    expect(clockReads).toBeGreaterThan(1)
    expect(answered).toMatchObject({ kind: 'ended', ask: { state: { kind: 'expired' } } })
  },
)

onEachEngine('[ASK-3] each way to end without a yes is stored as its own outcome', async ({ open }) => {
  const store = await open()
  const reasons = ['undeliverable', 'unseen', 'call-cancelled', 'asker-stopped', 'caller-gone', 'owner-lost'] as const

  for (const reason of reasons) {
    const draft = aForm()
    await store.asks.raise(draft)
    const ended = await store.asks.withdraw('acme', draft.id, reason)
    expect(ended).toMatchObject({ kind: 'done', ask: { state: { kind: 'withdrawn', reason } } })
  }
  for (const answer of [decline, cancel]) {
    const draft = aForm()
    await store.asks.raise(draft)
    await store.asks.answer({ ...to(draft), person: ann, via: 'inbox', answer })
    const ask = await store.asks.read('acme', draft.id)
    expect(ask && askOutcomeOf(ask.state)).toBe(answer === decline ? 'declined' : 'cancelled')
  }
})

function to({ tenant, id }: { tenant: string; id: string }): { tenant: string; id: string } {
  return { tenant, id }
}

async function kinds(
  store: Awaited<ReturnType<Parameters<Parameters<typeof onEachEngine>[1]>[0]['open']>>,
  tenant: string,
) {
  const found: string[] = []
  for await (const { kind } of store.audit.entries(tenant)) found.push(kind)
  return found
}
