import { createKeyRing } from '@assent/core'
import { describe, expect } from 'vitest'
import type { Store, Unverified } from '../index.ts'
import { accept, anApproval, ann, ben, decline, minuteMs, testKeys } from './drafts.suite.ts'
import { type DatabaseEdit, databaseEdits, type EditedState } from './edits.corpus.ts'
import { onEachEngine, type StoppedClock, stoppedClock, type TestDb } from './engines.suite.ts'

const dayMs = 24 * 60 * minuteMs

interface TestAsk {
  readonly store: Store
  readonly clock: StoppedClock
  readonly found: Unverified[]
  readonly tenant: string
  readonly id: string
  readonly other: string
}

async function anAskIn({ open }: TestDb, on: EditedState): Promise<TestAsk> {
  const clock = stoppedClock()
  const found: Unverified[] = []
  const store = await open({ clock, onUnverified: (one) => found.push(one) })
  const several = on === 'unvoted' || on === 'voted' || on === 'quorum'
  const { tenant, id } = await store.asks.raise(
    several ? anApproval(['person:ann', 'person:ben'], 2) : anApproval(['person:ann'], 1),
  )
  const other = await store.asks.raise(anApproval(['person:ann'], 1))
  await store.asks.answer({ tenant, id: other.id, person: ann, via: 'inbox', answer: accept })
  clock.advance(1_000)
  const vote = (answer: object, person = ann) => store.asks.answer({ tenant, id, person, via: 'inbox', answer })
  if (on === 'accepted' || on === 'used' || on === 'voted') await vote(accept)
  if (on === 'declined') await vote(decline)
  if (on === 'quorum') {
    await vote(accept)
    await vote(accept, ben)
  }
  if (on === 'withdrawn') await store.asks.withdraw(tenant, id, 'caller-gone')
  if (on === 'expired') {
    clock.advance(11 * minuteMs)
    await store.asks.expire(tenant, id)
  }
  if (on === 'used') expect(await used(store, tenant, id)).toBe(true)
  // A process that reads the edited rows: the one that settled an ask knows the decision for a while.
  const reading = await open({ clock, onUnverified: (one) => found.push(one) })
  return { store: reading, clock, found, tenant, id, other: other.id }
}

/** Whether the approval of an ask can be used, as the SDK's gate does. */
async function used(store: Store, tenant: string, askId: string): Promise<boolean> {
  const grant = await store.grants.read(tenant, askId)
  if (grant === undefined) return false
  const { digest, principal } = grant
  const uses = await Promise.all(
    [digest, anApproval(['person:ann'], 1).question].map(async (one) => {
      const of = typeof one === 'string' ? one : one.kind === 'approval' ? one.digest : ''
      return store.grants.use({ tenant, id: grant.id, digest: of, principal, usedBy: 'test' })
    }),
  )
  return uses.some((one) => one !== undefined)
}

async function isAccepted(store: Store, tenant: string, id: string): Promise<boolean> {
  const ask = await store.asks.wait(tenant, id, { timeoutMs: 0 })
  return ask?.state.kind === 'settled' && ask.state.answer.action === 'accept'
}

describe('an edit of the database', () => {
  for (const edit of databaseEdits.filter(({ aim }) => aim === 'release')) {
    onEachEngine(`[VOTE-1] an edit releases nothing: ${edit.title}`, async (db) => {
      const { store, tenant, id, other } = await anAskIn(db, edit.on)
      await edit.apply(db.tamper, { tenant, id, other })

      if (!concernsGrantAlone(edit)) expect(await isAccepted(store, tenant, id)).toBe(false)
      expect(await used(store, tenant, id)).toBe(false)
      // Nor after further people have answered. If two approvals are needed and none was given, one person answers.
      for (const person of edit.on === 'unvoted' ? [ann] : [ann, ben]) {
        await store.asks.answer({ tenant, id, person, via: 'inbox', answer: accept }).catch(() => undefined)
      }
      expect(await used(store, tenant, id)).toBe(false)
    })
  }
})

/** These edits change the grant of a valid decision: the ask stays accepted, and its grant cannot be used. */
function concernsGrantAlone({ on, title }: DatabaseEdit): boolean {
  return (on === 'used' || on === 'accepted') && title.includes('grant')
}

describe('an edit of the database', () => {
  for (const edit of databaseEdits) {
    onEachEngine(`[AUDIT-6] audit verify reports an edit: ${edit.title}`, async (db) => {
      const { store, tenant, id, other } = await anAskIn(db, edit.on)
      expect(await store.record.verify(tenant)).toMatchObject({ ok: true, asks: 2, unknownKeys: 0 })
      await edit.apply(db.tamper, { tenant, id, other })

      const verdict = await store.record.verify(tenant)

      if (verdict.ok) throw new Error('The edit was not found.')
      for (const { subject } of verdict.problems) expect(subject === id || subject?.startsWith('grant_')).toBe(true)
    })
  }
})

onEachEngine('[VOTE-1] an unedited approval is released, once', async (db) => {
  const { store, tenant, id, other } = await anAskIn(db, 'accepted')
  for (const ask of [id, other]) {
    expect(await isAccepted(store, tenant, ask)).toBe(true)
    expect(await used(store, tenant, ask)).toBe(true)
    expect(await used(store, tenant, ask)).toBe(false)
  }
})

onEachEngine('[VOTE-2] a refused row is reported once: to the operator and in the audit log', async (db) => {
  const { store, found, tenant, id } = await anAskIn(db, 'declined')
  await db.tamper(`update asks set answer = '{"action":"accept"}' where id = '${id}'`)

  for (let time = 0; time < 3; time++) {
    expect((await store.asks.read(tenant, id))?.state).toMatchObject({ kind: 'withdrawn', reason: 'unverified' })
  }

  expect(found).toMatchObject([{ tenant, askId: id, problem: { reason: 'mismatch', what: 'decision' } }])
  const kinds = (await store.audit.proof(tenant, id))?.entries.map(({ kind }) => kind)
  expect(kinds).toEqual(['ask.raised', 'ask.settled', 'ask.unverified'])
})

onEachEngine('[VOTE-3] after a rotation the old key verifies, and without it nothing is released', async (db) => {
  const { store, tenant, id } = await anAskIn(db, 'accepted')
  const fresh = { id: 'fresh', secret: new Uint8Array(32).fill(9) }
  const old = { id: 'test', secret: new Uint8Array(32).fill(3) }
  const rotated = await db.open({ keys: createKeyRing([fresh, old]) })
  const without = await db.open({ keys: createKeyRing([fresh]) })
  const forged = await db.open({ keys: createKeyRing([{ ...old, secret: new Uint8Array(32).fill(4) }]) })

  expect(testKeys.sealing.id).toBe('test')
  expect(await isAccepted(without, tenant, id)).toBe(false)
  expect(await isAccepted(forged, tenant, id)).toBe(false)
  expect(await isAccepted(rotated, tenant, id)).toBe(true)
  expect(await isAccepted(store, tenant, id)).toBe(true)
})

onEachEngine('[VOTE-2] an ask whose votes are erased while it is read is not reported', async (db) => {
  const { store, found, clock, tenant, id } = await anAskIn(db, 'quorum')
  clock.advance(60 * dayMs)
  const withVotes = store.asks.withVotes.bind(store.asks)
  store.asks.withVotes = async (row) => {
    await store.retention.apply(tenant, { answersMs: dayMs })
    return withVotes(row)
  }
  expect((await store.inbox.page({ tenant, person: ann, show: 'ended' })).asks.map((ask) => ask.id)).not.toContain(id)
  expect(found).toEqual([])
  const kinds = (await store.audit.proof(tenant, id))?.entries.map(({ kind }) => kind)
  expect(kinds).toEqual(['ask.raised', 'ask.voted', 'ask.settled'])
})
