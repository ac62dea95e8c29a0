// The processor time of the machine by process while a cluster works, as counted by the kernel.

import { cpus } from 'node:os'
import type { Served } from '../relay/processes.ts'
import { machineCpuUs } from '../store/figures.ts'
import { cpuMsBetween, cpuMsOf, cpuMsOfConnections } from '../store/processor-time.ts'
import type { ClusterEnv } from './test-env.ts'

const parts = ['replicas', 'database', 'crowd', 'server', 'machine'] as const

/** In milliseconds of one core. */
export type Spent = Readonly<Record<(typeof parts)[number], number>>

export interface Moment extends Omit<Spent, 'database'> {
  /** By process: they come and go. */
  readonly database: ReadonlyMap<number, number>
}

export async function spentSoFar(testEnv: ClusterEnv, replicas: readonly Served[]): Promise<Moment> {
  const { application, testDb } = testEnv
  return {
    replicas: replicas.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0),
    database: await cpuMsOfConnections(testDb.rows, application),
    crowd: cpuMsOf(testEnv.crowd.pid),
    server: cpuMsOf(testEnv.server.pid),
    machine: machineCpuUs() / 1_000,
  }
}

export function spentBetween(before: Moment, after: Moment): Spent {
  return {
    replicas: after.replicas - before.replicas,
    database: cpuMsBetween(before.database, after.database),
    crowd: after.crowd - before.crowd,
    server: after.server - before.server,
    machine: after.machine - before.machine,
  }
}

export function together(all: readonly Spent[]): Spent {
  const sums = parts.map((part) => [part, all.reduce((sum, spent) => sum + spent[part], 0)])
  return Object.fromEntries(sums) as Spent
}

/** Per decision, and how much of the machine was busy. */
export function spentInWords(spent: Spent, decisions: number, tookMs: number): string {
  const each = (ms: number) => `${(ms / decisions).toFixed(2)} ms`
  const rest = spent.machine - spent.replicas - spent.database - spent.crowd - spent.server
  const busy = `${(spent.machine / tookMs).toFixed(2)} of ${cpus().length} cores busy`
  return `replicas ${each(spent.replicas)}, database ${each(spent.database)}, the crowd ${each(spent.crowd)}, its server ${each(spent.server)}, everything else ${each(rest)}; ${busy}`
}
