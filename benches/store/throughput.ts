// Settles per second with grant and audit entry, durable: through the store, and with pgbench for comparison.
//
// Both sides take turns in one run, on the same tables, with as many connections, and settle the same number of asks
// each turn; only the medians of the turns are compared. A store turn without an answer to every ask, or a wrong count
// afterwards, is an error.

import { cpus } from 'node:os'
import type { Store } from '@assent/store'
import { retried } from '../../test-kit/retried.ts'
import { checkSettled } from './check.ts'
import { machineCpuUs, median, say, whole } from './figures.ts'
import { ann, askId, tenantOf } from './load.ts'
import { settleByPgbench, type Walk } from './pgbench.ts'
import { inFreshSchema, type TestDb } from './test-db.ts'

export interface Race {
  readonly title: string
  readonly tenants: number
  readonly connections: number
  readonly callers: number
  readonly turns: number
  readonly turnSeconds: number
}

export interface RaceResult {
  readonly storeRate: number
  readonly pgbenchRate: number
  readonly ratio: number
  /** A description of what limits the store. */
  readonly limit: string
}

interface Turn {
  readonly rate: number
  readonly nodeCpuUs: number
  /** Of all processes on all cores. */
  readonly machineCpuUs: number
}

const warmUpEach = 400

export async function race(settings: Race): Promise<RaceResult> {
  return inFreshSchema(async (testDb) => {
    const { tenants, connections, callers, turns, turnSeconds } = settings
    const load = (from: number, to: number) => testDb.load({ from, to, tenants, people: 1, alsoToEveryone: false })
    const store = await testDb.open(connections)

    const warmUp = warmUpEach * (callers + connections)
    await load(0, warmUp)
    const warm = [
      (await settleByStore(store, { from: 0, tenants, clients: callers, each: warmUpEach })).rate,
      await settleByPgbench(testDb, { from: warmUpEach * callers, tenants, clients: connections, each: warmUpEach }),
    ]

    // A multiple of both, so that both sides settle the same number.
    const step = Math.max(callers, connections)
    const perTurn = Math.max(step, Math.round((median(warm) * turnSeconds) / step) * step)
    await load(warmUp, warmUp + perTurn * turns * 2)
    const stores: Turn[] = []
    const pgbenches: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      const from = warmUp + perTurn * turn * 2
      stores.push(await settleByStore(store, { from, tenants, clients: callers, each: perTurn / callers }))
      const rest = { from: from + perTurn, tenants, clients: connections, each: perTurn / connections }
      pgbenches.push(await settleByPgbench(testDb, rest))
    }

    await checkSettled(testDb, store, { settled: warmUp + perTurn * turns * 2, tenants })
    return resultOf(settings, stores, pgbenches)
  })
}

async function settleByStore(store: Store, { from, tenants, clients, each }: Walk): Promise<Turn> {
  const caller = async (first: number) => {
    for (let i = 0; i < each; i++) {
      const n = first + i * clients
      const one = { tenant: tenantOf(n, tenants), id: askId(n), person: ann, via: 'inbox', answer: yes } as const
      // With its own decision id, so that it can be sent again after a stall of the database.
      const { kind } = await retried(() => store.asks.answer({ ...one, decisionId: `decision-${n}` }))
      if (kind !== 'settled') throw new Error(`Ask ${n} should be settled, but is "${kind}".`)
    }
  }
  const machineBefore = machineCpuUs()
  const nodeBefore = process.cpuUsage()
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: clients }, (_, client) => caller(from + client)))
  const tookMs = performance.now() - startedAt
  const { user, system } = process.cpuUsage(nodeBefore)
  return {
    rate: (clients * each * 1_000) / tookMs,
    nodeCpuUs: (user + system) / (clients * each),
    machineCpuUs: (machineCpuUs() - machineBefore) / (clients * each),
  }
}

const yes = { action: 'accept' } as const

function resultOf(
  { title, callers, connections }: Race,
  stores: readonly Turn[],
  pgbenches: readonly number[],
): RaceResult {
  const storeRate = median(stores.map(({ rate }) => rate))
  const pgbenchRate = median(pgbenches)
  const ratio = storeRate / pgbenchRate
  const nodeCpuUs = median(stores.map((turn) => turn.nodeCpuUs))
  const othersCpuUs = median(stores.map((turn) => turn.machineCpuUs)) - nodeCpuUs
  const limit = `a settle costs Node ${whole(nodeCpuUs)} µs of CPU and everything else on this machine ${whole(othersCpuUs)} µs, on ${cpus().length} cores`
  say(`${title}, ${callers} callers over ${connections} connections: ${whole(storeRate)} settles/s`)
  say(`  pgbench with ${connections} clients: ${whole(pgbenchRate)}/s; ratio ${ratio.toFixed(2)}; ${limit}`)
  say(`  turns, store: ${stores.map(({ rate }) => whole(rate)).join(' ')}; pgbench: ${pgbenches.map(whole).join(' ')}`)
  return { storeRate, pgbenchRate, ratio, limit }
}

/** The database settings that the figures depend on. */
export async function sayDurability(testDb: TestDb): Promise<boolean> {
  const names = ['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'server_version']
  const columns = names.map((name) => `current_setting('${name}') as ${name}`)
  const [settings = {}] = await testDb.rows<Record<string, string>>(`select ${columns.join(', ')}`)
  say(`PostgreSQL ${names.map((name) => `${name} ${settings[name]}`).join(', ')}`)
  return settings.fsync === 'on' && settings.synchronous_commit === 'on'
}
