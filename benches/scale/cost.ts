// The cost of one complete ask: raised, approved, used, with all records.
//
// Measured on PostgreSQL through the store, with as many callers as connections. Rows and bytes are counted by the
// database; processor time is of this process and of the connections to the database.

import { randomBytes } from 'node:crypto'
import { type AskDraft, actionDigest, newId } from '@assent/core'
import type { Store } from '@assent/store'
import { isUnavailable, retried } from '../../test-kit/retried.ts'
import { ann, question, tenantOf, useWithinMs } from '../store/load.ts'
import { inFreshSchema, type TestDb } from '../store/test-db.ts'

export interface AskCost {
  readonly rows: number
  /** In tables and indexes at the end, before any cleanup. */
  readonly keptBytes: number
  /** The part of it in the audit log, which is permanent. */
  readonly auditBytes: number
  readonly logBytes: number
  readonly nodeUs: number
  readonly databaseUs: number
  readonly perSecond: number
}

const connections = 8

export async function costOfAsks(count: number, tenants: number): Promise<AskCost> {
  return inFreshSchema(async (testDb) => {
    const store = await testDb.open(connections)
    await runAsks(store, connections * 10, tenants)
    const before = await weigh(testDb)
    const node = process.cpuUsage()
    const startedAt = performance.now()
    let done = 0
    const databaseMs = await testDb.cpuMsDuring(async () => {
      done = await runAsks(store, count, tenants)
    })
    const seconds = (performance.now() - startedAt) / 1_000
    const { user, system } = process.cpuUsage(node)
    const after = await weigh(testDb)
    return {
      rows: (after.rows - before.rows) / done,
      keptBytes: (after.keptBytes - before.keptBytes) / done,
      auditBytes: (after.auditBytes - before.auditBytes) / done,
      logBytes: (after.logBytes - before.logBytes) / done,
      nodeUs: (user + system) / done,
      databaseUs: (databaseMs * 1_000) / done,
      perSecond: done / seconds,
    }
  })
}

async function runAsks(store: Store, count: number, tenants: number): Promise<number> {
  const each = Math.ceil(count / connections)
  const caller = async (first: number) => {
    for (let n = first; n < first + each; n++) await runAsk(store, tenantOf(n, tenants))
  }
  await Promise.all(Array.from({ length: connections }, (_, index) => caller(index * each)))
  return each * connections
}

async function runAsk(store: Store, tenant: string): Promise<void> {
  const id = newId('ask', Date.now(), randomBytes)
  const shown = question()
  if (shown.kind !== 'approval') throw new Error('The measured ask must be an approval.')
  const draft: AskDraft = {
    tenant,
    id,
    asker: { server: shown.action.server, tool: shown.action.tool },
    principal: ann.principal,
    question: shown,
    approvalRule: { approvers: [`person:${ann.principal}`], excluded: [], approvals: 1, declines: 1 },
    decideWithinMs: 10 * 60_000,
    useWithinMs,
  }
  await retried(() => store.asks.raise(draft))
  const answer = { tenant, id, person: ann, via: 'inbox', answer: { action: 'accept' }, decisionId: `d-${id}` } as const
  const { kind } = await retried(() => store.asks.answer(answer))
  const grant = await retried(() => store.grants.read(tenant, id))
  if (kind !== 'settled' || grant === undefined) throw new Error(`An ask should be approved, but is "${kind}".`)
  const digest = actionDigest(shown.action)
  const use = { tenant, id: grant.id, digest, principal: ann.principal, usedBy: 'scale' }
  // After a stall of the database it is not known whether it was used, and it cannot be used again.
  const used = await store.grants.use(use).catch((error: unknown) => {
    if (!isUnavailable(error)) throw error
    return 'unknown'
  })
  if (used === undefined) throw new Error('A fresh approval could not be used.')
}

interface Weight {
  readonly rows: number
  readonly keptBytes: number
  readonly auditBytes: number
  readonly logBytes: number
}

async function weigh({ rows, schema }: TestDb): Promise<Weight> {
  const names = await rows<{ name: string }>(
    `select relname as name from pg_class where relnamespace = '${schema}'::regnamespace and relkind = 'r'`,
  )
  const counts = names.map(({ name }) => `(select count(*) from ${name})`)
  const [counted] = await rows<{ rows: string }>(`select ${counts.join(' + ')} as rows`)
  const sizes = await rows<{ name: string; bytes: string }>(
    `select relname as name, pg_total_relation_size(oid) as bytes
     from pg_class where relnamespace = '${schema}'::regnamespace and relkind = 'r'`,
  )
  const [log] = await rows<{ bytes: string }>(`select pg_current_wal_insert_lsn() - '0/0' as bytes`)
  const bytesOf = (chosen: typeof sizes) => chosen.reduce((sum, { bytes }) => sum + Number(bytes), 0)
  return {
    rows: Number(counted?.rows),
    keptBytes: bytesOf(sizes),
    auditBytes: bytesOf(sizes.filter(({ name }) => name.startsWith('audit'))),
    logBytes: Number(log?.bytes),
  }
}
