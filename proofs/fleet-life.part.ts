// One fleet from its start to its end, and what it left behind. Every proof that breaks something under a fleet lives one
// or more of these; what it breaks is its own.

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKeyRing } from '@assent/core'
import { openPostgres } from '@assent/store'
import pg from 'pg'
import { runCrowd } from './fleet-crowd.part.ts'
import { type AskRow, type AuditRow, Evidence, type Kept } from './fleet-evidence.part.ts'
import { People } from './fleet-people.part.ts'
import type { Bug } from './fleet-points.part.ts'
import type { ReplicaSettings } from './fleet-replica.part.ts'
import { Fleet } from './fleet-replicas.part.ts'
import { EffectServers } from './fleet-servers.part.ts'
import { seededRandom } from './random.part.ts'

export const usualDatabase: string = process.env.ASSENT_TEST_POSTGRES ?? 'postgres://root@127.0.0.1:5432/test'
export const replicas = 3
export const principals: readonly string[] = Array.from({ length: 8 }, (_, n) => `person-${n}`)

/** Long enough for the leases of the last dead to run out, and for the living to say so; at least as long as a second effect might take. */
const leasesRunOutMs = 10_000
const restsAfterMs = 1_500
const restLookMs = 250

/** What breaks things while the crowd works. */
export interface Trouble {
  /** Resolves when it has done all it wanted, or soon after it was stopped. */
  work(): Promise<void>
  stop(): void
  /** Holds the crowd back while more has begun than there was trouble for. */
  pace?(): Promise<void>
  /** What it does when all calls have ended and all leases have run out, while the fleet is still there. */
  afterwards?(): Promise<void>
}

export interface Stage {
  readonly fleet: Fleet
  readonly people: People
  readonly evidence: Evidence
  /** Where clients connect. */
  readonly url: string
  /** Where the tables are. */
  readonly schema: string
}

export interface LifeOptions<T extends Trouble> {
  /** Questions to be put; fewer when the trouble is over before and nothing else is wanted. */
  readonly asks: number
  readonly endsWithTrouble?: boolean
  readonly seed: number
  readonly trouble: (stage: Stage) => T
  /** Where the replicas find their database, if not where we do. */
  readonly replicaDatabase?: string
  /** Where we find it; asked again after the trouble is over, because it may have moved. */
  readonly ourDatabase?: () => string
  readonly wake?: string
  readonly bug?: Bug
  /** How long a call may take before its caller has heard nothing. */
  readonly patienceMs?: number
  /** How long callers keep their sessions before they begin others; for ever unless told. */
  readonly sessionsKeptMs?: number
  /** How many of the people at clients take long, of one. */
  readonly slowOdds?: number
  /** What else replicas are started with. */
  readonly replicas?: Partial<ReplicaSettings>
}

export interface World<T extends Trouble> {
  readonly evidence: Evidence
  readonly kept: Kept
  readonly trouble: T
  readonly fleet: Fleet
}

export async function live<T extends Trouble>(options: LifeOptions<T>): Promise<World<T>> {
  const { asks, seed, wake, bug, ourDatabase = () => usualDatabase, patienceMs = 90_000 } = options
  const schema = `fleet_${randomBytes(8).toString('hex')}`
  const evidence = new Evidence()
  const servers = new EffectServers(evidence)
  const fleet = new Fleet({
    url: options.replicaDatabase ?? ourDatabase(),
    schema,
    secret: randomBytes(32).toString('base64'),
    servers: await servers.start(),
    ...(wake === undefined ? {} : { wake }),
    ...(bug === undefined ? {} : { bug }),
    ...options.replicas,
  })
  try {
    await withAdmin(ourDatabase(), schema, (admin) => admin.query('select 1'))
    // Migrated once, so that the first start of all replicas is like every other.
    await (await openPostgres(ourDatabase(), { keys: readerKeys, schema, connections: 2 })).close()
    const url = await fleet.start(replicas)
    const people = new People(fleet, evidence, seededRandom(seed + 1), principals)
    const working = people.work()
    const trouble = options.trouble({ fleet, people, evidence, url, schema })
    let isCalm = false
    const breaking = trouble.work().finally(() => {
      isCalm = true
    })
    const isOver = () => isCalm && options.endsWithTrouble === true
    const pace = () => trouble.pace?.() ?? Promise.resolve()
    const { sessionsKeptMs = Number.POSITIVE_INFINITY, slowOdds = 0 } = options
    const crowd = { principals, asks, callers: 24, isOver, patienceMs, pace, sessionsKeptMs, slowOdds }
    await runCrowd({ url, evidence, random: seededRandom(seed), ...crowd })
    trouble.stop()
    await breaking
    people.stop()
    await working
    await atRest(ourDatabase(), schema)
    await trouble.afterwards?.()
    return { evidence, kept: await keptIn(ourDatabase(), schema), trouble, fleet }
  } finally {
    await fleet.stop()
    servers.stop()
    await withAdmin(ourDatabase(), schema, (admin) => admin.query(`drop schema if exists ${schema} cascade`))
  }
}

/** Reads the audit log, and asks only to expire them: what the replicas signed is none of its business. */
const readerKeys = createKeyRing([{ id: 'reader', secret: new Uint8Array(32) }])

/** Until nobody is on record as holding a call any more, or should not have been long ago. */
export async function atRest(url: string, schema: string): Promise<void> {
  const endsAt = performance.now() + leasesRunOutMs
  await sleep(restsAfterMs)
  await withAdmin(url, schema, async (admin) => {
    while ((await runningIn(admin)) > 0 && performance.now() < endsAt) await sleep(restLookMs)
  })
}

async function runningIn(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query(`select count(*)::int as count from calls where state = 'running'`)
  return (rows[0] as { count: number }).count
}

/** What the database holds, read behind the store's back, but for the chain, which the verifier judges. */
export async function keptIn(url: string, schema: string): Promise<Kept> {
  const store = await openPostgres(url, { keys: readerKeys, schema, connections: 2 })
  await store.sweep()
  const chain = await store.audit.verify('default')
  await store.close()
  const chainProblem = chain.ok ? undefined : `entry ${chain.seq}: ${chain.problem}`
  return withAdmin(url, schema, async (admin) => {
    const asks = await admin.query(
      `select id, principal, question::json->>'message' as message, state, answer::json->>'action' as action,
         decided_by as "decidedBy", decision_id as "decisionId", ended_at::float8 as "endedAtMs", withdrawn_because as because
       from asks`,
    )
    const audit = await admin.query(`select kind, subject from audit_entries where kind like 'ask.%' order by seq`)
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
