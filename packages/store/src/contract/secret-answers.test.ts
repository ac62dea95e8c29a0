import { askView } from '@assent/core'
import { expect } from 'vitest'
import { aForm, ann, inEurope, minuteMs } from './drafts.suite.ts'
import { onEachEngine, stoppedClock } from './engines.suite.ts'

const key = `ghp_${'a1B2'.repeat(9)}`
const question = {
  kind: 'form',
  message: 'Which value?',
  form: { fields: [{ kind: 'text', name: 'value', required: true }] },
} as const
const secret = { action: 'accept', content: { value: key } } as const
const naming = { nameOf: (name: string) => name, describe: () => ({}) }

async function everything(tamper: (sql: string) => Promise<unknown[]>): Promise<string> {
  const text: string[] = []
  for (const table of ['asks', 'votes', 'audit_entries', 'grants']) {
    text.push(JSON.stringify(await tamper(`select * from ${table}`)))
  }
  return text.join()
}

onEachEngine('[VOTE-7] a secret answer is sealed until delivered; after that only its digests remain', async (db) => {
  const clock = stoppedClock()
  const store = await db.open({ clock, auditContents: 'keep' })
  const { tenant, id } = await store.asks.raise(aForm({ question }))
  const request = { tenant, id, person: ann, via: 'inbox', answer: secret, decisionId: 'decision-of-ann-1' } as const
  expect(await store.asks.answer(request)).toMatchObject({ kind: 'settled', ask: { state: { isSecret: true } } })

  expect(await everything(db.tamper)).not.toContain(key)
  const sealed = await store.asks.read(tenant, id)
  expect(sealed?.state).toMatchObject({ kind: 'settled', answer: secret, isSecret: true })
  if (sealed !== undefined) expect(JSON.stringify(askView(sealed, ann, naming))).not.toContain(key)
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true, asks: 1 })

  await store.asks.deleteSecret(tenant, id)
  await store.asks.deleteSecret(tenant, id)
  const [row] = (await db.tamper(`select answer, secret_until from asks`)) as { answer: string }[]
  expect(row).toEqual({ answer: expect.not.stringContaining('sealed'), secret_until: null })
  const left = await store.asks.read(tenant, id)
  expect(left?.state).toMatchObject({
    kind: 'settled',
    answer: { action: 'accept' },
    isSecret: true,
    deleted: { contentDigest: expect.stringContaining('sha256:') },
  })
  if (left !== undefined) expect(JSON.stringify(askView(left, ann, naming))).toContain('(secret, not shown)')
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true, asks: 1 })
  // The same answer sent twice is still the same answer, and another is a conflict.
  expect(await store.asks.answer(request)).toMatchObject({ kind: 'settled' })
  const other = { action: 'accept', content: { value: 'x' } }
  expect(await store.asks.answer({ ...request, answer: other })).toEqual({ kind: 'conflict' })
})

onEachEngine('[VOTE-7] a sealed answer that was not fetched is deleted when it expires', async (db) => {
  const clock = stoppedClock()
  const store = await db.open({ clock })
  const { tenant, id } = await store.asks.raise(aForm({ question, useWithinMs: minuteMs }))
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: secret })
  await store.sweep()
  expect((await store.asks.read(tenant, id))?.state).toMatchObject({ answer: secret })

  clock.advance(minuteMs)
  await store.sweep()

  expect((await store.asks.read(tenant, id))?.state).toMatchObject({ isSecret: true, deleted: expect.anything() })
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
})

onEachEngine('[VOTE-7] with a secret only in the comment, the rest of the answer stays readable', async (db) => {
  const store = await db.open()
  const { tenant, id } = await store.asks.raise(aForm())
  const answer = { ...inEurope, comment: `use ${key}` }
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer })
  expect(await everything(db.tamper)).not.toContain(key)
  await store.asks.deleteSecret(tenant, id)

  const ask = await store.asks.read(tenant, id)
  expect(ask?.state).toMatchObject({ answer: inEurope, deleted: { commentDigest: expect.any(String) } })
  if (ask !== undefined) expect(askView(ask, ann, naming).state).toMatchObject({ comment: '(secret, not shown)' })
  expect(await store.record.verify(tenant)).toMatchObject({ ok: true })
})

onEachEngine('[VOTE-1] [VOTE-7] changing the remaining parts of a secret answer is detected too', async (db) => {
  const store = await db.open()
  const { tenant, id } = await store.asks.raise(aForm({ question }))
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: secret })
  await store.asks.deleteSecret(tenant, id)
  for (const answer of [
    '{"action":"accept","content":{"value":"other"}}',
    `{"action":"accept","deleted":{"contentDigest":"sha256:${'0'.repeat(64)}"}}`,
    '{"action":"accept","deleted":{}}',
  ]) {
    await db.tamper(`update asks set answer = '${answer}'`)
    expect((await store.asks.read(tenant, id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'unverified' })
  }
})

onEachEngine('[VOTE-6] a request that refuses secrets leaves the ask open', async (db) => {
  const store = await db.open()
  const { tenant, id } = await store.asks.raise(aForm({ question }))
  const request = { tenant, id, person: ann, via: 'client', answer: secret, refusesSecrets: true } as const

  expect(await store.asks.answer(request)).toMatchObject({ kind: 'looks-secret', warnings: [{ shape: 'service-key' }] })
  expect((await store.asks.read(tenant, id))?.state).toEqual({ kind: 'open' })
})
