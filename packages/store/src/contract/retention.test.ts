// Erasing what is no longer needed, and the data of one person. What is left still verifies.

import { type Answer, pinnedDefinition } from '@assent/core'
import { expect } from 'vitest'
import { allItems } from '../../../../test-kit/all-items.ts'
import { addKey, signedAnswer } from '../../../../test-kit/store/passkeys.ts'
import type { Store } from '../index.ts'
import { accept, aForm, anApproval, anId, ann, aRecordedCall, ben, cleo, inEurope } from './drafts.suite.ts'
import { onEachEngine, type StoppedClock, stoppedClock, type TestDb } from './engines.suite.ts'

const dayMs = 24 * 60 * 60 * 1_000
const tenant = 'acme'
const periods = { answersMs: 30 * dayMs, recordMs: 365 * dayMs, callsMs: 90 * dayMs }

/** An approval that two people gave and that was used, an answered form, an expired and a withdrawn ask, and a note. */
async function someHistory(store: Store, clock: StoppedClock): Promise<string[]> {
  const approval = await store.asks.raise(anApproval(['person:ann', 'person:ben'], 2))
  for (const person of [ann, ben])
    await store.asks.answer({ tenant, id: approval.id, person, via: 'inbox', answer: accept })
  const grant = await store.grants.read(tenant, approval.id)
  const use = { id: grant?.id ?? '', digest: grant?.digest ?? '', principal: 'ann', usedBy: 'gateway-1' }
  await store.grants.use({ tenant, ...use })
  const form = await store.asks.raise(aForm())
  const answer: Answer = { ...inEurope, comment: 'as discussed' }
  await store.asks.answer({ tenant, id: form.id, person: ann, via: 'client', answer })
  const [expired, taken] = [await store.asks.raise(aForm()), await store.asks.raise(aForm())]
  await store.asks.withdraw(tenant, taken.id, 'unseen')
  clock.advance(11 * 60_000)
  await store.asks.expire(tenant, expired.id)
  await store.audit.append(tenant, [{ subject: 'relay', body: { passed: [{ principal: 'ann' }] } }])
  return [approval.id, form.id, expired.id, taken.id]
}

/** Every text that the tables have about asks. */
async function textsIn(tamper: TestDb['tamper']): Promise<string> {
  const tables = ['asks', 'votes', 'grants', 'ask_approvers', 'outbox', 'audit_entries']
  const rows = await Promise.all(tables.map((table) => tamper(`select * from ${table}`)))
  return JSON.stringify(rows.flat())
}

onEachEngine('[RETAIN-2] answers, texts and audit bodies are erased when they expire', async ({ open, tamper }) => {
  const clock = stoppedClock()
  const store = await open({ clock, auditContents: 'keep' })
  const ids = await someHistory(store, clock)
  const kept = await store.asks.raise(aForm({ decideWithinMs: 90 * dayMs, question: newQuestion }))
  expect(await store.retention.due(tenant, periods)).toEqual({ asks: 0, notes: 0, deleted: 0, calls: 0 })
  clock.advance(31 * dayMs)
  const later = await store.asks.raise(aForm())
  await store.asks.answer({ tenant, id: later.id, person: ann, via: 'client', answer: inEurope })
  expect(await textsIn(tamper)).toMatch(/Which region.*as discussed/)

  const expected = { asks: 4, notes: 1, deleted: 0, calls: 0 }
  expect(await store.retention.due(tenant, periods)).toEqual(expected)
  expect(await store.retention.apply(tenant, periods)).toEqual(expected)

  const left = await textsIn(tamper)
  for (const text of ['as discussed', 'Roll out', 'replicas', 'gateway-1', '"passed"']) expect(left).not.toContain(text)
  for (const id of ids) expect(await store.asks.read(tenant, id)).toBeUndefined()
  // An open ask and a newer one are as they were.
  expect(await store.asks.read(tenant, kept.id)).toMatchObject({ question: newQuestion, state: { kind: 'open' } })
  expect(await store.asks.read(tenant, later.id)).toMatchObject({ state: { kind: 'settled', answer: inEurope } })
  const { asks } = await store.inbox.page({ tenant, person: ann, show: 'ended' })
  expect(asks.map(({ id }) => id)).toEqual([later.id])
  // Who decided, when and how stays in the record.
  const [row] = await tamper(`select state, principal, decided_by, person_answer from asks where id = '${ids[0]}'`)
  expect(row).toMatchObject({ state: 'settled', principal: 'ann', decided_by: 'ben' })
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true, asks: 6, erased: 11 })
})

const newQuestion = { kind: 'form', message: 'A new one?', form: { fields: [] } } as const

onEachEngine('[RETAIN-2] a second run erases nothing, and adds nothing to the log', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await someHistory(store, clock)
  clock.advance(31 * dayMs)
  await store.retention.apply(tenant, periods)
  const { size } = await store.audit.integrate(tenant)

  expect(await store.retention.apply(tenant, periods)).toEqual({ asks: 0, notes: 0, deleted: 0, calls: 0 })
  expect((await store.audit.integrate(tenant)).size).toBe(size)
  const kinds = (await allItems(store.audit.entries(tenant))).map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'record.erased')).toHaveLength(1)
})

onEachEngine(
  '[RETAIN-2] [RETAIN-3] more asks than one step takes are all erased, and later deleted',
  async ({ open }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const count = 501
    const drafts = Array.from({ length: count }, () => aForm())
    for (const draft of drafts) await store.asks.raise(draft)
    for (const { id } of drafts) await store.asks.withdraw(tenant, id, 'unseen')
    clock.advance(31 * dayMs)

    expect(await store.retention.apply(tenant, periods)).toMatchObject({ asks: count })
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true, asks: count, erased: 2 * count })
    clock.advance(365 * dayMs)
    expect(await store.retention.apply(tenant, periods)).toMatchObject({ asks: 0, deleted: count })
  },
)

onEachEngine('[RETAIN-2] an ask whose answer can still be fetched or used is not erased', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const ask = await store.asks.raise(aForm({ decideWithinMs: 5 * dayMs, useWithinMs: 3 * dayMs }))
  await store.asks.answer({ tenant, id: ask.id, person: ann, via: 'client', answer: inEurope })
  clock.advance(9 * dayMs)
  expect(await store.retention.apply(tenant, { answersMs: dayMs })).toMatchObject({ asks: 0 })
  clock.advance(2 * dayMs)
  expect(await store.retention.apply(tenant, { answersMs: dayMs })).toMatchObject({ asks: 1 })
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true, erased: 2 })
  await expect(store.retention.apply(tenant, { answersMs: dayMs - 1 })).rejects.toThrow(RangeError)
})

onEachEngine('[RETAIN-2] an ask is erased only when its last entry is old enough', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const ask = await store.asks.raise(anApproval(['person:ann'], 1, { useWithinMs: 3 * dayMs }))
  await store.asks.answer({ tenant, id: ask.id, person: ann, via: 'inbox', answer: accept })
  const { id = '', digest = '' } = (await store.grants.read(tenant, ask.id)) ?? {}
  clock.advance(2 * dayMs)
  await store.grants.use({ tenant, id, digest, principal: 'ann', usedBy: 'gateway-1' })
  clock.advance(4 * dayMs)
  // The approval ended before that time, and was used after it.
  expect(await store.retention.apply(tenant, { answersMs: 5 * dayMs })).toMatchObject({ asks: 0 })
  expect(await store.retention.due(tenant, { answersMs: 5 * dayMs })).toMatchObject({ asks: 0 })
  clock.advance(2 * dayMs)
  expect(await store.retention.apply(tenant, { answersMs: 5 * dayMs })).toMatchObject({ asks: 1 })
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true, erased: 3 })
})

onEachEngine('[RETAIN-2] asks that are still in use do not keep those that ended after them', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const kept = Array.from({ length: 500 }, () => aForm({ useWithinMs: 6 * dayMs }))
  for (const draft of kept) await store.asks.raise(draft)
  for (const { id } of kept) await store.asks.withdraw(tenant, id, 'unseen')
  clock.advance(1)
  const due = await store.asks.raise(aForm())
  await store.asks.withdraw(tenant, due.id, 'unseen')
  clock.advance(4 * dayMs)

  expect(await store.retention.due(tenant, { answersMs: dayMs })).toMatchObject({ asks: 1 })
  expect(await store.retention.apply(tenant, { answersMs: dayMs })).toMatchObject({ asks: 1 })
  expect(await store.asks.read(tenant, due.id)).toBeUndefined()
})

onEachEngine('[RETAIN-3] asks and recorded calls are deleted after their time', async ({ open, tamper }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await someHistory(store, clock)
  await store.recordedCalls.write([{ ...aRecordedCall(), outcome: 'ok' }])
  clock.advance(91 * dayMs)
  const open_ = await store.asks.raise(aForm({ decideWithinMs: 30 * dayMs }))
  expect(await store.retention.due(tenant, periods)).toMatchObject({ calls: 1, deleted: 0 })
  expect(await store.retention.apply(tenant, periods)).toEqual({ asks: 4, notes: 1, deleted: 0, calls: 1 })
  clock.advance(275 * dayMs)
  expect(await store.retention.due(tenant, periods)).toMatchObject({ deleted: 4 })
  await store.sweep()
  expect(await store.retention.apply(tenant, periods)).toMatchObject({ asks: 0, deleted: 4, calls: 0 })

  expect(await tamper('select id from asks')).toEqual([{ id: open_.id }])
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true, asks: 1, erased: 11 })
})

onEachEngine('[RETAIN-3] with `record` alone, rows are deleted with their texts', async ({ open, tamper }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await someHistory(store, clock)
  clock.advance(31 * dayMs)
  expect(await store.retention.apply(tenant, { recordMs: 30 * dayMs })).toMatchObject({ asks: 4, deleted: 4 })
  expect(await tamper('select id from asks')).toEqual([])
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true, asks: 0, erased: 11 })
})

onEachEngine('[RETAIN-4] everything that names a person is erased on request', async ({ open, tamper }) => {
  const clock = stoppedClock()
  const store = await open({ clock, auditContents: 'keep' })
  await someHistory(store, clock)
  const other = await store.asks.raise(aForm({ principal: 'ben', approvalRule: ofBen }))
  await store.asks.answer({ tenant, id: other.id, person: ben, via: 'client', answer: inEurope })
  const member = { ...ann, groups: ['ops'] }
  const ofGroup = await store.asks.raise(aForm({ principal: 'ben', approvalRule: ofOps }))
  await store.asks.answer({ tenant, id: ofGroup.id, person: member, via: 'inbox', answer: inEurope })
  await store.audit.append(tenant, [{ subject: 'relay', body: { passed: [{ principal: 'ben' }] } }])
  const recorded = [aRecordedCall(), aRecordedCall({ principal: 'ben' })]
  await store.recordedCalls.write(recorded.map((one) => ({ ...one, outcome: 'ok' })))
  clock.advance(4 * dayMs)

  expect(await store.retention.dueOf(tenant, 'ann')).toEqual({ asks: 5, left: 0 })
  expect(await store.retention.erasePerson(tenant, 'ann')).toEqual({
    ...{ asks: 5, notes: 1, passkeys: 0, calls: 1, left: 0 },
  })

  const everything = `${await textsIn(tamper)}${JSON.stringify(await tamper('select * from recorded_calls'))}`
  expect(everything).not.toMatch(/"ann"|person:ann|\\"ann\\"/)
  expect(await store.asks.read(tenant, other.id)).toMatchObject({ state: { kind: 'settled', by: 'ben' } })
  const verdict = await store.record.verify(tenant)
  expect(verdict).toMatchObject({ ok: true, asks: 6, erased: 13 })
  expect(await store.retention.erasePerson(tenant, 'ann')).toMatchObject({ asks: 0, notes: 0, calls: 0, left: 0 })
})

const rule = { excluded: [], approvals: 1, declines: 1 } as const
const ofBen = { ...rule, approvers: ['person:ben'] } as const
const ofOps = { ...rule, approvers: ['group:ops'] } as const

onEachEngine('[RETAIN-4] what is still in use is left, and erased by a later run', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const ask = await store.asks.raise(aForm())
  expect(await store.retention.erasePerson(tenant, 'ann')).toMatchObject({ asks: 0, left: 1 })
  await store.asks.answer({ tenant, id: ask.id, person: ann, via: 'client', answer: inEurope })
  expect(await store.retention.erasePerson(tenant, 'ann')).toMatchObject({ asks: 0, left: 1 })
  expect(await store.asks.read(tenant, ask.id)).toMatchObject({ state: { kind: 'settled', by: 'ann' } })
  clock.advance(3 * dayMs)
  expect(await store.retention.erasePerson(tenant, 'ann')).toMatchObject({ asks: 1, left: 0 })
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true, erased: 2 })
})

onEachEngine(
  '[RETAIN-4] passkeys of a person are erased once no ask is left that they signed',
  async ({ open, tamper }) => {
    const clock = stoppedClock()
    const store = await open({ clock })
    const { key } = await addKey(store, 'ann')
    const { key: other } = await addKey(store, 'ben')
    const signed = await store.asks.raise(anApproval(['person:ann'], 1, { needsPresence: true }))
    await store.asks.answer(signedAnswer(store, signed, 'ann', accept, key))
    expect(await store.retention.erasePerson(tenant, 'ann')).toMatchObject({ asks: 0, passkeys: 0, left: 1 })
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true, erased: 0 })

    clock.advance(4 * dayMs)
    expect(await store.retention.erasePerson(tenant, 'ann')).toMatchObject({ asks: 1, passkeys: 1, left: 0 })
    expect(await tamper('select principal, credential_id from passkeys')).toEqual([
      { principal: 'ben', credential_id: other.id },
    ])
    expect(await store.passkeys.noticesSince({ tenant, principal: 'ann' }, 0)).toEqual([])
    expect(await store.record.verify(tenant)).toMatchObject({ ok: true, erased: 3 })
    // A row that came back from elsewhere is not one of the log.
    await tamper(`update passkeys set principal = 'ann' where principal = 'ben'`)
    expect(await store.record.verify(tenant)).toMatchObject({ ok: false })
  },
)

onEachEngine('[RETAIN-4] a person is also removed from asks that were erased before', async ({ open, tamper }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  await someHistory(store, clock)
  clock.advance(31 * dayMs)
  await store.retention.apply(tenant, periods)
  expect(await textsIn(tamper)).toContain('"ann"')
  await store.retention.erasePerson(tenant, 'ann')
  expect(await textsIn(tamper)).not.toContain('"ann"')
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
})

onEachEngine('[RETAIN-5] an erased ask is compared with what is left in the log', async ({ open, tamper }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const [id = ''] = await someHistory(store, clock)
  const kept = await store.asks.raise(anApproval(['person:cleo'], 1))
  await store.asks.answer({ tenant, id: kept.id, person: cleo, via: 'inbox', answer: accept })
  clock.advance(31 * dayMs)
  const young = await store.asks.raise(aForm())
  await store.asks.withdraw(tenant, young.id, 'unseen')
  await store.retention.apply(tenant, periods)
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
  await tamper('create table kept_asks as select * from asks')
  const where = `where id = '${id}'`
  for (const attack of [
    `update asks set state = 'expired' ${where}`,
    `update asks set ended_at = ended_at + 1 ${where}`,
    `update asks set raised_at = raised_at + 1 ${where}`,
    `update asks set answer = '{"action":"accept"}' ${where}`,
    `update asks set question = '{}' ${where}`,
    `update asks set log_counter = log_counter + 1 ${where}`,
    `update asks set erased_at = null ${where}`,
    `update asks set question = '', approval_rule = '', answer = null, signature = null, erased_at = 1 where id = '${young.id}'`,
    `delete from asks where id = '${young.id}'`,
  ]) {
    await tamper(attack)
    expect([attack, await store.record.verify(tenant)]).toMatchObject([attack, { ok: false }])
    await tamper('delete from asks')
    await tamper('insert into asks select * from kept_asks')
  }
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
})

onEachEngine('[RETAIN-2] definitions of tools are not erased', async ({ open }) => {
  const clock = stoppedClock()
  const store = await open({ clock })
  const tool = { tenant, server: 'deploy', tool: anId() }
  await store.definitions.pin(tool, pinnedDefinition({ name: 'a' }))
  clock.advance(31 * dayMs)
  await store.retention.apply(tenant, periods)
  expect(await store.definitions.of(tool)).toHaveLength(1)
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true, erased: 0 })
})
