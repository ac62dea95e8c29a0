// Starts an action in a process of its own and tells how it ended.

import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./killed-program.suite.ts', import.meta.url))

export interface Ended {
  readonly signal: string | null
  readonly status?: unknown
  readonly code?: unknown
  readonly points: readonly string[]
}

export interface Starting {
  readonly root: string
  readonly action: string
  readonly killAt?: string
  readonly beginAtMs?: number
}

export function runApart({ root, action, killAt = '', beginAtMs = 0 }: Starting): Promise<Ended> {
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
      else if (out === '') reject(new Error(`The process ended without a word: ${err}`))
      else resolve({ signal, ...JSON.parse(out) })
    })
  })
}
