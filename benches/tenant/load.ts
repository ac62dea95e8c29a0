// The load of the tenant bench: people who raise an ask within the usual limits and answer it, over one store.
//
// Each caller is a person with their own asks; they use a few servers. The sequencer adds the entries to the logs meanwhile, as in
// a gateway. Afterwards the database must have exactly as many settled asks as were counted.

import { isAssentError } from '@assent/core'
import { openPostgres, type Store } from '@assent/store'
import { newSchema } from '../../test-kit/postgres.ts'
import { retried } from '../../test-kit/retried.ts'
import { median, quantile } from '../store/figures.ts'
import { keys } from '../store/load.ts'
import { type Attempt, decide } from './decide.ts'

const callers = 48
const connections = 16
const usualConnections = 10
const emptyCommits = 20

export interface Load {
  readonly perSecond: number
  readonly p99Ms: number
}

export interface Burst {
  readonly timeouts: number
  readonly slowestMs: number
  readonly tookMs: number
}

export interface TenantLoad {
  /** Asks raised and answered for this long, by the same callers over the same connections, spread over so many tenants. */
  decide(tenants: number, forMs: number): Promise<Load>
  /** So many people raise and answer an ask at the same moment, over the usual number of connections. */
  atOnce(requests: number): Promise<Burst>
  /** The time of a transaction that writes one row. */
  commitMs(): Promise<number>
}

export async function onTenants<Value>(url: string, work: (load: TenantLoad) => Promise<Value>): Promise<Value> {
  const { schema, query, drop } = await newSchema(undefined, url)
  const store = await openPostgres(url, { keys, schema, connections })
  const usual = await openPostgres(url, { keys, schema, connections: usualConnections })
  const sequencerErrors: unknown[] = []
  const sequencer = store.startSequencer(allTenants(), (error) => sequencerErrors.push(error))
  let decided = 0
  const decideOne = async (through: Store, tenant: string, person: string, n: number, attempt?: Attempt) => {
    const tookMs = await decide(through, { tenant, person, n }, attempt)
    decided++
    return tookMs
  }
  try {
    const value = await work({
      decide: async (tenants, forMs) => {
        const times: number[] = []
        const startedAt = performance.now()
        const caller = async (at: number) => {
          for (let n = at; performance.now() < startedAt + forMs; n++)
            times.push(await decideOne(store, tenantName(at % tenants), `p${at}`, n, retried))
        }
        await Promise.all(Array.from({ length: callers }, (_, at) => caller(at)))
        const tookMs = performance.now() - startedAt
        return { perSecond: (times.length * 1_000) / tookMs, p99Ms: quantile(times, 0.99) }
      },
      atOnce: async (requests) => {
        const startedAt = performance.now()
        const one = (at: number) => decideOne(usual, tenantName(0), `q${at}`, at).catch(timeoutIn)
        const results = await Promise.all(Array.from({ length: requests }, (_, at) => one(at)))
        const times = results.filter((each) => each !== 'timeout')
        const slowestMs = Math.max(...times)
        return { timeouts: requests - times.length, slowestMs, tookMs: performance.now() - startedAt }
      },
      commitMs: async () => {
        await query('create table if not exists commits (n integer)')
        const times: number[] = []
        for (let n = 0; n < emptyCommits; n++) {
          const startedAt = performance.now()
          await query(`insert into commits values (${n})`)
          times.push(performance.now() - startedAt)
        }
        return median(times)
      },
    })
    const [row] = await query<{ settled: string }>(`select count(*) as settled from asks where state = 'settled'`)
    if (Number(row?.settled) !== decided)
      throw new Error(`${decided} asks were answered, and ${row?.settled} are settled in the database.`)
    // One that took too long is repeated by the sequencer.
    const wrong = sequencerErrors.find((error) => !isAssentError(error, 'store_unavailable'))
    if (wrong !== undefined) throw wrong
    return value
  } finally {
    await sequencer.stop()
    await Promise.all([store.close(), usual.close()])
    await drop()
  }
}

/** A request that the store refused because something took too long. Other errors are errors of the bench. */
function timeoutIn(error: unknown): 'timeout' {
  if (isAssentError(error, 'store_unavailable')) return 'timeout'
  throw error
}

function allTenants(): string[] {
  return Array.from({ length: 16 }, (_, n) => tenantName(n))
}

function tenantName(n: number): string {
  return `tenant-${n}`
}
