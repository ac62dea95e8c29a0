// Measures how soon `assent` answers the client that starts it: from starting the process to its first answer.
//
// The program is what users install, compiled and without our sources. Its home folder exists already, as after the first
// start. The figure is the fastest tenth of the starts: other load on the machine only adds to a start.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { publishedPackages } from '../../scripts/build/published.ts'
import { run as runCommand } from '../../scripts/build/run.ts'
import { type Goal, isMet, type Measurement } from '../../scripts/measurement.ts'
import { quantile } from '../store/figures.ts'

const main = resolve('packages/gateway/dist/program/main.js')
const client = { name: 'bench', version: '1.0.0' }

/** The first request of each generation. */
const openings: Readonly<Record<string, object>> = {
  initialize: {
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: { elicitation: {} }, clientInfo: client },
  },
  'server/discover': {
    method: 'server/discover',
    params: {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
        'io.modelcontextprotocol/clientInfo': client,
      },
    },
  },
}

/** The quick form runs on a busy machine: its limit finds a start that waits for something, not a slower one. */
const sizes = { full: { starts: 40, mostMs: 400 }, quick: { starts: 6, mostMs: 4_000 } }
const quietest = 0.1

export const run: Measurement = async ({ quick }) => {
  const { starts, mostMs } = sizes[quick ? 'quick' : 'full']
  for (const { folder } of publishedPackages()) runCommand('tsc', ['-p', `${folder}/tsconfig.build.json`])
  const home = mkdtempSync(join(tmpdir(), 'assent-start-'))
  const figures: string[] = []
  const goals: Goal[] = []
  try {
    for (const [method, opening] of Object.entries(openings)) {
      await startOnce(home, opening)
      const times: number[] = []
      for (let index = 0; index < starts; index++) times.push(await startOnce(home, opening))
      const [quiet, median] = [quantile(times, quietest), quantile(times, 0.5)]
      const bare = await startBare()
      console.log(
        `start: ${method}: ${quiet.toFixed(0)} ms in the quietest tenth of ${starts} starts, ${median.toFixed(0)} ms median; Node alone ${bare.toFixed(0)} ms`,
      )
      goals.push({ what: `start until ${method}, quietest tenth`, value: quiet, unit: 'ms', most: mostMs })
      figures.push(`${quiet.toFixed(0)} ms to ${method}`)
    }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
  return { reached: goals.every(isMet), goals, figure: `start: ${figures.join(', ')}; at most ${mostMs} ms` }
}

async function startOnce(home: string, opening: object): Promise<number> {
  const env = { PATH: process.env.PATH ?? '', HOME: home, ASSENT_HOME: home, ASSENT_LISTEN: '127.0.0.1:0' }
  const startedAt = performance.now()
  const child = spawn(process.execPath, [main], { env, cwd: home, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.on('close', resolve))
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, ...opening })}\n`)
  const first = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (chunk) => resolve(String(chunk)))
    child.once('exit', (code) => reject(new Error(`assent ended with ${code} before it answered`)))
  })
  const tookMs = performance.now() - startedAt
  if (JSON.parse(first).result === undefined) throw new Error(`assent answered ${first}`)
  child.stdin.end()
  await ended
  return tookMs
}

/** The part that is Node's own start. */
async function startBare(): Promise<number> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['-e', 'process.stdout.write("1")'], { stdio: ['ignore', 'pipe', 'ignore'] })
  await new Promise((resolve) => child.stdout.once('data', resolve))
  return performance.now() - startedAt
}
