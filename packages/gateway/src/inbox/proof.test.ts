import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type ProofView, verifyProof } from '@assent/core'
import { openSqlite } from '@assent/store'
import { expect, onTestFinished, test } from 'vitest'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { ChainCheck } from './chain-check.ts'
import { anApproval, anAsk, ann, ben, keys, onEachEngine, signIn, tenant } from './inbox-env.suite.ts'

onEachEngine('[PROOF-2] only people who may decide an ask get its proof; others get 404', async (env) => {
  const { store } = env
  const app = env.app()
  const [here, there] = [await signIn(app, ann), await signIn(app, ben)]
  const other = await store.asks.raise(
    anAsk({ approvalRule: { approvers: ['person:ben'], excluded: [], approvals: 1, declines: 1 } }),
  )
  const { id } = await store.asks.raise(anApproval(['person:ann'], 1))
  await here.answer(id, { action: 'accept' })

  const response = await here.get(`/api/asks/${id}/proof`)
  const proof = (await response.json()) as ProofView
  expect(verifyProof(proof).ok).toBe(true)
  expect(proof.entries.map(({ kind }) => kind)).toEqual(['ask.raised', 'ask.settled'])
  expect(proof.chain).toMatchObject({ kind: 'whole', lastSeq: 3 })
  expect(JSON.stringify(proof)).not.toContain(other.id)

  const file = await here.get(`/api/asks/${id}/proof?download`)
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename="${id}.json"`)
  expect(verifyProof(await file.json()).ok).toBe(true)

  const [none, theirs] = [await there.get('/api/asks/ask_none/proof'), await there.get(`/api/asks/${id}/proof`)]
  expect(theirs.status).toBe(404)
  expect(await theirs.text()).toBe(await none.text())
})

onEachEngine('[PROOF-2] a proof has a checkpoint, and states that the whole log was checked', async (env) => {
  const { store } = env
  const here = await signIn(env.app(), ann)
  const { id } = await store.asks.raise(anAsk())
  await here.answer(id, { action: 'decline' })
  const proof = (await (await here.get(`/api/asks/${id}/proof`)).json()) as ProofView
  expect(proof.chain).toMatchObject({ kind: 'whole', lastSeq: 2 })
  expect(verifyProof(proof, await store.audit.keys(tenant))).toMatchObject({ ok: true, head: { size: 2 } })

  // An ask settled a moment ago is covered too, although the previous check is still fresh.
  const { id: next } = await store.asks.raise(anAsk())
  const again = (await (await here.get(`/api/asks/${next}/proof`)).json()) as ProofView
  expect(again.chain).toMatchObject({ kind: 'whole', lastSeq: 3 })
})

test('[PROOF-2] a broken audit log is reported with the entry where it breaks', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assent-inbox-'))
  const store = await openSqlite(join(folder, 'assent.db'), { keys })
  onTestFinished(async () => {
    await store.close()
    await removeFolder(folder)
  })
  const { id } = await store.asks.raise(anAsk())
  await store.asks.withdraw(tenant, id, 'caller-gone')
  await store.audit.integrate(tenant)
  const database = new DatabaseSync(join(folder, 'assent.db'))
  database.exec(`update audit_entries set body = '{}' where id = 2`)
  database.close()

  const chain = await new ChainCheck(store, tenant, Date.now).upTo(2)

  expect(chain).toMatchObject({ kind: 'broken', seq: 2, problem: expect.stringContaining('Entry 2 was changed') })
})

onEachEngine('[PROOF-4] history can be filtered by outcome, and an unknown outcome is refused', async (env) => {
  const { store } = env
  const here = await signIn(env.app(), ann)
  const [yes, no] = [await store.asks.raise(anAsk()), await store.asks.raise(anAsk())]
  await here.answer(yes.id, { action: 'accept', content: { region: 'eu' } })
  await here.answer(no.id, { action: 'decline' })
  const idsOf = async (path: string) =>
    ((await (await here.get(path)).json()) as { asks: { id: string }[] }).asks.map(({ id }) => id)
  expect(await idsOf('/api/history?outcome=declined')).toEqual([no.id])
  expect(await idsOf('/api/history?outcome=answered&kind=form')).toEqual([yes.id])
  expect((await here.get('/api/history?outcome=maybe')).status).toBe(400)
  expect((await here.get('/api/asks?outcome=declined')).status).toBe(400)
})

test('[AUDIT-6] a decision that was changed in the database is reported as a mismatch', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assent-inbox-'))
  const store = await openSqlite(join(folder, 'assent.db'), { keys })
  onTestFinished(async () => {
    await store.close()
    await removeFolder(folder)
  })
  const { id } = await store.asks.raise(anAsk())
  await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: { action: 'decline' } })
  const check = () => new ChainCheck(store, tenant, Date.now).upTo(2)
  expect(await check()).toMatchObject({ kind: 'whole', asks: 1, grants: 0 })

  const database = new DatabaseSync(join(folder, 'assent.db'))
  database.exec(`update asks set decided_by = 'mallory'`)
  database.close()

  expect(await check()).toMatchObject({ kind: 'mismatch', problem: expect.stringContaining('decided by mallory') })
})
