// Runs an action in a separate process and reports how it ended.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./run-in-process-program.suite.ts', import.meta.url))

export interface ProcessResult {
  readonly signal: string | null
  readonly status?: unknown
  readonly code?: unknown
  readonly points: readonly string[]
}

export interface ProcessOptions {
  readonly root: string
  readonly action: string
  readonly killAt?: string
  readonly beginAtMs?: number
}

export function runInProcess({ root, action, killAt = '', beginAtMs = 0 }: ProcessOptions): Promise<ProcessResult> {
  const args = ['--conditions=assent-source', program, root, action, killAt, String(beginAtMs)]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (_, signal) => {
      if (signal !== null) resolve({ signal, points: [] })
      else if (out === '') reject(new Error(`The process printed no result: ${err}`))
      else resolve({ signal, ...JSON.parse(out) })
    })
  })
}
