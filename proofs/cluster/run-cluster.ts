// Runs one cluster with callers, people and a disruption, and returns the evidence and the contents of the database.
// Several proofs use this; each brings its own disruption.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyRing } from '@assent/core'
import { openPostgres, type Store } from '@assent/store'
import pg from 'pg'
import { postgresUrl } from '../../test-kit/postgres.ts'
import { seededRandom } from '../../test-kit/random.ts'
import { retried } from '../../test-kit/retried.ts'
import { runCallers } from './callers.ts'
import { type AskRow, type AuditRow, Evidence, type StoredState } from './evidence.ts'
import { People } from './people.ts'
import type { Bug } from './points.ts'
import type { ReplicaSettings } from './replica.ts'
import { GatewayCluster } from './replicas.ts'
import { EffectServers } from './servers.ts'

export const replicas = 3
export const principals: readonly string[] = Array.from({ length: 8 }, (_, n) => `person-${n}`)

/**
 * Long enough for the leases of killed replicas to expire and for others to notice, on a busy machine; and longer than a
 * question may be open: a caller whose state was lost with the replica that forwarded it never retries.
 */
const leasesRunOutMs = 180_000
/** Also the time to find a second effect. */
const restsAfterMs = 1_500
const restLookMs = 250

/** Causes faults while the callers work. */
export interface Disruption {
  /** Resolves when it is done, or soon after `stop`. */
  work(): Promise<void>
  stop(): void
  /** Slows the callers down if they are ahead of the disruption. */
  pace?(): Promise<void>
  /** Runs after all calls have ended and all leases have expired, before the cluster is stopped. */
  afterwards?(): Promise<void>
}

export interface ClusterContext {
  readonly gateways: GatewayCluster
  readonly people: People
  readonly evidence: Evidence
  /** Where clients connect. */
  readonly url: string
  /** The database schema. */
  readonly schema: string
  /** The key of the replicas. */
  readonly secret: string
}

export interface ClusterRunOptions<T extends Disruption> {
  /** The number of questions; fewer if the disruption ends first and `endsWithDisruption` is set. */
  readonly asks: number
  readonly endsWithDisruption?: boolean
  readonly seed: number
  readonly disruption: (context: ClusterContext) => T
  /** The database URL of the replicas, if it differs from ours. */
  readonly replicaDatabase?: string
  /** Our database URL; read again after the disruption, because the database may have moved. */
  readonly ourDatabase?: () => string
  readonly wake?: string
  readonly bug?: Bug
  /** How long a call may take before it counts as unanswered. */
  readonly patienceMs?: number
  /** How long callers keep their sessions before they open new ones; by default forever. */
  readonly sessionsKeptMs?: number
  /** The share of people at clients who take long, from 0 to 1. */
  readonly slowOdds?: number
  /** Further settings of the replicas. */
  readonly replicas?: Partial<ReplicaSettings>
}

export interface ClusterRun<T extends Disruption> {
  readonly evidence: Evidence
  readonly kept: StoredState
  readonly disruption: T
  readonly gateways: GatewayCluster
}

export async function runCluster<T extends Disruption>(options: ClusterRunOptions<T>): Promise<ClusterRun<T>> {
  const { asks, seed, wake, bug, ourDatabase = () => postgresUrl, patienceMs = 90_000 } = options
  const schema = `cluster_${randomBytes(8).toString('hex')}`
  const secret = randomBytes(32).toString('base64')
  const evidence = new Evidence()
  const servers = new EffectServers(evidence)
  const gateways = new GatewayCluster({
    url: options.replicaDatabase ?? ourDatabase(),
    schema,
    secret,
    servers: await servers.start(),
    ...(wake === undefined ? {} : { wake }),
    ...(bug === undefined ? {} : { bug }),
    ...options.replicas,
  })
  try {
    await withAdmin(ourDatabase(), schema, (admin) => admin.query('select 1'))
    // Migrate first, so that the first start of the replicas is like every other.
    await (await openReader(ourDatabase(), schema)).close()
    const url = await gateways.start(replicas)
    const people = new People(gateways, evidence, seededRandom(seed + 1), principals)
    const working = people.work()
    const disruption = options.disruption({ gateways, people, evidence, url, schema, secret })
    let isCalm = false
    const breaking = disruption.work().finally(() => {
      isCalm = true
    })
    const isOver = () => isCalm && options.endsWithDisruption === true
    const pace = () => disruption.pace?.() ?? Promise.resolve()
    const { sessionsKeptMs = Number.POSITIVE_INFINITY, slowOdds = 0 } = options
    const crowd = { principals, asks, callers: 24, isOver, patienceMs, pace, sessionsKeptMs, slowOdds }
    await runCallers({ url, evidence, random: seededRandom(seed), ...crowd })
    disruption.stop()
    await breaking
    people.stop()
    await working
    await atRest(ourDatabase(), schema)
    await disruption.afterwards?.()
    return { evidence, kept: await readStoredState(ourDatabase(), schema), disruption, gateways }
  } finally {
    await gateways.stop()
    servers.stop()
    await withAdmin(ourDatabase(), schema, (admin) => admin.query(`drop schema if exists ${schema} cascade`))
  }
}

/** For reading the audit log, and asks only to expire them: it needs none of the replicas' signatures. */
const readerKeys = createKeyRing([{ id: 'reader', secret: new Uint8Array(32) }])

export function openReader(url: string, schema: string): Promise<Store> {
  return retried(() => openPostgres(url, { keys: readerKeys, schema, connections: 2 }))
}

/** Waits until no call is marked as running, or until all leases must have expired. */
export async function atRest(url: string, schema: string): Promise<void> {
  const endsAt = performance.now() + leasesRunOutMs
  await sleep(restsAfterMs)
  await withAdmin(url, schema, async (admin) => {
    while ((await runningIn(admin)).length > 0 && performance.now() < endsAt) await sleep(restLookMs)
  })
}

/** Descriptions of the calls that are marked as running. */
async function runningIn(admin: pg.Client): Promise<string[]> {
  const { rows } = await admin.query(
    `select c.id, c.server, c.principal, c.owner, string_agg(a.question::json->>'message', ', ') as asked
     from calls c left join asks a on a.tenant = c.tenant and a.call_id = c.id where c.state = 'running'
     group by c.tenant, c.id`,
  )
  return rows.map((row: Record<'id' | 'server' | 'principal' | 'owner' | 'asked', string | null>) => {
    return `${row.id} of ${row.principal} at ${row.server}, owner ${row.owner}, asked ${row.asked}`
  })
}

/** Reads the contents of the database directly; the audit log is checked with the verifier. */
export async function readStoredState(url: string, schema: string): Promise<StoredState> {
  const store = await openReader(url, schema)
  await retried(() => store.sweep())
  const chain = await retried(() => store.audit.verify('default'))
  await store.close()
  const chainProblem = chain.ok ? undefined : chain.problem
  return withAdmin(url, schema, async (admin) => {
    const asks = await admin.query(
      `select id, principal, question::json->>'message' as message, state, answer::json->>'action' as action,
         decided_by as "decidedBy", decision_id as "decisionId", ended_at::float8 as "endedAtMs", withdrawn_because as because
       from asks`,
    )
    const audit = await admin.query(`select kind, subject from audit_entries where kind like 'ask.%' order by id`)
    return {
      asks: asks.rows as AskRow[],
      audit: audit.rows as AuditRow[],
      chainProblem,
      running: await runningIn(admin),
    }
  })
}

async function withAdmin<Value>(
  url: string,
  schema: string,
  work: (admin: pg.Client) => Promise<Value>,
): Promise<Value> {
  const admin = new pg.Client({ connectionString: url, options: `-c search_path=${schema}` })
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.end()
  }
}
