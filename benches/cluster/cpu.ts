// The processor time of the machine by process while a cluster works, as counted by the kernel.

import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type { Served } from '../relay/processes.ts'
import { machineCpuUs } from '../store/figures.ts'
import type { ClusterEnv } from './test-env.ts'

const parts = ['replicas', 'database', 'crowd', 'server', 'machine'] as const

/** In milliseconds of one core. */
export type Spent = Readonly<Record<(typeof parts)[number], number>>

export interface Moment extends Omit<Spent, 'database'> {
  /** By process: they come and go. */
  readonly database: ReadonlyMap<number, number>
}

/** A tick is 10 ms on all common Linux systems. */
const tickMs = 10

export async function spentSoFar(testEnv: ClusterEnv, replicas: readonly Served[]): Promise<Moment> {
  const { application, testDb } = testEnv
  const rows = await testDb.rows<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = '${application}'`,
  )
  // On another machine the process ids would belong to other processes here.
  const backends = rows.filter(({ pid }) => read(`/proc/${pid}/comm`).startsWith('postgres'))
  return {
    replicas: replicas.reduce((sum, { pid }) => sum + cpuMsOf(pid), 0),
    database: new Map(backends.map(({ pid }) => [pid, cpuMsOf(pid)])),
    crowd: cpuMsOf(testEnv.crowd.pid),
    server: cpuMsOf(testEnv.server.pid),
    machine: machineCpuUs() / 1_000,
  }
}

export function spentBetween(before: Moment, after: Moment): Spent {
  const database = [...after.database].reduce((sum, [pid, ms]) => sum + ms - (before.database.get(pid) ?? 0), 0)
  return {
    replicas: after.replicas - before.replicas,
    database,
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

/** User and system time: fields after the process's name, which may contain any character. */
function cpuMsOf(pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The process has ended, or this system has no such files: its time then counts as "everything else".
    return ''
  }
}
