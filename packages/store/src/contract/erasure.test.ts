// Texts that were erased: the log still verifies if it records the erasure.

import { expect } from 'vitest'
import type { Store } from '../index.ts'
import { rangeRowsMost } from '../record-check/read-compared.ts'
import { accept, aForm, anApproval, ann, inEurope, noon } from './drafts.suite.ts'
import { onEachEngine, type StoppedClock, stoppedClock } from './engines.suite.ts'

const dayMs = 24 * 60 * 60 * 1_000

async function anAnsweredAsk(store: Store): Promise<string> {
  const { id } = await store.asks.raise(aForm())
  await store.asks.answer({ tenant: 'acme', id, person: ann, via: 'client', answer: inEurope })
  return id
}

async function recordErasure(store: Store, clock: StoppedClock): Promise<void> {
  clock.advance(10 * dayMs)
  const body = { reason: 'expired', before: noon + dayMs }
  await store.audit.append('acme', [{ subject: 'retention', body }], 'record.erased')
}

onEachEngine('[RETAIN-1] erased texts are accepted and counted if the log records it', async ({ open, tamper }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const id = await anAnsweredAsk(store)
  await recordErasure(store, clock)
  await tamper(`update audit_entries set salt = null, body = null where subject = '${id}'`)

  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, lastSeq: 3, erased: 2 })
  const proof = await store.audit.proof('acme', id)
  expect(proof?.entries.map(({ salt, body }) => [salt, body])).toEqual([
    ['', ''],
    ['', ''],
  ])
})

onEachEngine('[RETAIN-1] a text erased before, after or without that is reported', async ({ open, tamper }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await anAnsweredAsk(store)
  await recordErasure(store, clock)
  const newer = await anAnsweredAsk(store)
  expect(await store.audit.verify('acme')).toMatchObject({ ok: true, erased: 0 })
  await tamper(`update audit_entries set salt = null, body = null where subject = '${newer}' and kind = 'ask.settled'`)

  const problem = 'The text of entry 5 was erased, and no entry of the log allows that.'
  expect(await store.audit.verify('acme')).toEqual({ ok: false, seq: 5, problem })
})

onEachEngine('[RETAIN-1] an entry that records an erasure cannot be changed', async ({ open, tamper }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const id = await anAnsweredAsk(store)
  clock.advance(10 * dayMs)
  await store.audit.append(
    'acme',
    [{ subject: 'retention', body: { reason: 'request', digests: [] } }],
    'record.erased',
  )
  const [{ digest } = { digest: '' }] = (await tamper(
    `select digest from audit_entries where subject = '${id}' and kind = 'ask.settled'`,
  )) as { digest: string }[]
  await tamper(`update audit_entries set salt = null, body = null where subject = '${id}' and kind = 'ask.settled'`)
  const forged = JSON.stringify({ digests: [digest], reason: 'request' })
  await tamper(`update audit_entries set body = '${forged}' where kind = 'record.erased'`)

  expect(await store.audit.verify('acme')).toMatchObject({ ok: false, seq: 3 })
})

/** Entries without text about rows that were deleted. */
function leavesOf(kind: string, subject: string, count: number): string {
  return `insert into audit_entries (tenant, at, kind, subject, counter, digest)
    with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
    select 'acme', ${noon}, '${kind}', '${subject}' || number, 1, 'sha256:${'0'.repeat(64)}' from numbers`
}

onEachEngine(
  '[RETAIN-3] entries about more deleted asks and grants than a page has do not end the comparison',
  async ({ open, tamper }) => {
    const store = await open()
    const ids = [await anAnsweredAsk(store), await anAnsweredAsk(store)]
    // Before the first page, in it, and after the last one.
    for (const subject of ['ask_0', `${ids[0]}_`, 'ask_zz']) {
      await tamper(leavesOf('ask.settled', subject, rangeRowsMost + 1))
      await tamper(leavesOf('grant.used', subject, rangeRowsMost + 1))
    }
    expect(await store.record.compare('acme')).toMatchObject({ asks: 2, problems: [] })

    // One that has a text is still reported.
    await tamper(`update audit_entries set body = '{}', salt = '00' where subject = 'ask_zz7'`)
    const subjects = (await store.record.compare('acme')).problems.map(({ subject }) => subject)
    expect(subjects).toEqual(['ask_zz7', 'ask_zz7'])
  },
)

onEachEngine(
  '[RETAIN-1] the log allows an erasure after a day also if the clock was stepped back',
  async ({ open }) => {
    let [nowMs, stepMs] = [noon, 0]
    const clock = () => {
      nowMs -= stepMs
      return nowMs
    }
    const store = await open({ clock })
    await store.audit.append('acme', [{ subject: 'relay', body: { at: 1 } }])
    nowMs += 2 * dayMs
    stepMs = 5
    expect(await store.retention.apply('acme', { answersMs: dayMs })).toMatchObject({ notes: 1 })
    expect(await store.audit.verify('acme')).toMatchObject({ ok: true, erased: 1 })
  },
)

onEachEngine('[RETAIN-5] a grant that was kept without the text of its use is reported', async ({ open, tamper }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const { id } = await store.asks.raise(anApproval(['person:ann'], 1))
  await store.asks.answer({ tenant: 'acme', id, person: ann, via: 'inbox', answer: accept })
  const grant = await store.grants.read('acme', id)
  if (grant === undefined) throw new Error('It was approved.')
  await store.grants.use({ ...grant, usedBy: 'test' })
  await recordErasure(store, clock)
  await tamper(`update audit_entries set salt = null, body = null where kind = 'grant.used'`)

  const problem = `Grant ${grant.id}: the text about its use was erased in the audit log, and its row was not.`
  expect(await store.record.verify('acme')).toEqual({ ok: false, problems: [{ problem, subject: grant.id }] })
})
