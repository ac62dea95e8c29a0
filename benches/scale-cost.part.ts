// What one ask costs from its first row to its last: raised, approved, used, with everything on record.
//
// Measured on PostgreSQL through the store, by as many callers as connections. Rows and bytes are the database's own
// count; processor time is of this process and of everything else on the machine, so it is worth something on a calm one.

import { randomBytes } from 'node:crypto'
import { actionDigest, newId } from '@assent/core'
import type { Store } from '@assent/store'
import { machineCpuUs } from './store-figures.part.ts'
import { ann, question, tenantOf, useWithinMs } from './store-load.part.ts'
import { inFreshSchema, type Place } from './store-place.part.ts'

export interface AskCost {
  readonly rows: number
  /** In tables and indexes, when all is over and nothing was swept. */
  readonly keptBytes: number
  /** Of that, what the audit keeps for good. */
  readonly auditBytes: number
  readonly logBytes: number
  readonly nodeUs: number
  readonly databaseUs: number
  readonly perSecond: number
}

const connections = 8

export async function costOfAsks(count: number, tenants: number): Promise<AskCost> {
  return inFreshSchema(async (place) => {
    const store = await place.open(connections)
    await livesOf(store, connections * 10, tenants)
    const before = await weigh(place)
    const node = process.cpuUsage()
    const machine = machineCpuUs()
    const startedAt = performance.now()
    const lived = await livesOf(store, count, tenants)
    const seconds = (performance.now() - startedAt) / 1_000
    const { user, system } = process.cpuUsage(node)
    const machineUs = machineCpuUs() - machine
    const after = await weigh(place)
    return {
      rows: (after.rows - before.rows) / lived,
      keptBytes: (after.keptBytes - before.keptBytes) / lived,
      auditBytes: (after.auditBytes - before.auditBytes) / lived,
      logBytes: (after.logBytes - before.logBytes) / lived,
      nodeUs: (user + system) / lived,
      databaseUs: (machineUs - user - system) / lived,
      perSecond: lived / seconds,
    }
  })
}

async function livesOf(store: Store, count: number, tenants: number): Promise<number> {
  const each = Math.ceil(count / connections)
  const caller = async (first: number) => {
    for (let n = first; n < first + each; n++) await liveOnce(store, tenantOf(n, tenants))
  }
  await Promise.all(Array.from({ length: connections }, (_, index) => caller(index * each)))
  return each * connections
}

async function liveOnce(store: Store, tenant: string): Promise<void> {
  const id = newId('ask', Date.now(), randomBytes)
  const shown = question()
  if (shown.kind !== 'approval') throw new Error('What is measured is an approval.')
  await store.asks.raise({
    tenant,
    id,
    asker: { server: shown.action.server, tool: shown.action.tool },
    principal: ann.principal,
    question: shown,
    electorate: { approvers: [`person:${ann.principal}`], barred: [], approvals: 1, declines: 1 },
    decideWithinMs: 10 * 60_000,
    useWithinMs,
  })
  const { kind } = await store.asks.answer({ tenant, id, person: ann, via: 'inbox', answer: { action: 'accept' } })
  const grant = await store.grants.read(tenant, id)
  if (kind !== 'settled' || grant === undefined) throw new Error(`An ask was to be approved, and is "${kind}".`)
  const digest = actionDigest(shown.action)
  const used = await store.grants.use({ tenant, id: grant.id, digest, principal: ann.principal, usedBy: 'scale' })
  if (used === undefined) throw new Error('A fresh approval could not be used.')
}

interface Weight {
  readonly rows: number
  readonly keptBytes: number
  readonly auditBytes: number
  readonly logBytes: number
}

async function weigh({ rows, schema }: Place): Promise<Weight> {
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
