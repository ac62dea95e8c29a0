// The processor time of other processes, as counted by the kernel.

import { readFileSync } from 'node:fs'

/** A tick is 10 ms on all common Linux systems. */
const tickMs = 10

/** User and system time of a process: fields after its name, which may contain any character. */
export function cpuMsOf(pid: number): number {
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs
}

/** By process: the processor time of the connections with this application name. */
export async function cpuMsOfConnections(
  query: (sql: string) => Promise<readonly { pid: number }[]>,
  application: string,
): Promise<ReadonlyMap<number, number>> {
  const rows = await query(`select pid from pg_stat_activity where application_name = '${application}'`)
  // On another machine the process ids would belong to other processes here.
  const backends = rows.filter(({ pid }) => read(`/proc/${pid}/comm`).startsWith('postgres'))
  return new Map(backends.map(({ pid }) => [pid, cpuMsOf(pid)]))
}

/** What these processes used in between; a new one began with nothing. */
export function cpuMsBetween(before: ReadonlyMap<number, number>, after: ReadonlyMap<number, number>): number {
  return [...after].reduce((sum, [pid, ms]) => sum + ms - (before.get(pid) ?? 0), 0)
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The process has ended, or this system has no such files: its time is then not counted.
    return ''
  }
}
