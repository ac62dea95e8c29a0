// The recorded full runs of proofs and benches: one JSON object per line in docs/figures/runs.jsonl.
import { appendFileSync, readFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import type { Goal } from '../measurement.ts'

export interface RecordedRun {
  readonly kind: 'prove' | 'bench'
  readonly name: string
  readonly date: string
  readonly commit: string
  readonly machine: string
  readonly seconds: number
  readonly reached: boolean
  /** The last line that the run printed. */
  readonly figure: string
  readonly goals?: readonly Goal[]
}

const file = new URL('../../docs/figures/runs.jsonl', import.meta.url)

export function recordRun(run: RecordedRun): void {
  appendFileSync(file, `${JSON.stringify(run)}\n`)
}

/** In the order in which they were recorded. */
export function recordedRuns(): RecordedRun[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedRun)
}

/** Such as `2 cores (Intel Xeon), 24 GiB, Node 24.21.0`. */
export function machineText(): string {
  const model = cpus()[0]
    ?.model.replaceAll(/\((R|TM)\)/g, '')
    .replace(/ Processor/, '')
    .trim()
  return `${availableParallelism()} cores (${model}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
}
