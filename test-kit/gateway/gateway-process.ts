// The program `assent gateway` as a process, with its inbox, on its own PostgreSQL database. It can be killed and started again on
// the same port.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createKeyRing } from '@assent/core'
import { openPostgres, type Store } from '@assent/store'
import { builtWebApp } from '../../scripts/inbox/web-app.ts'
import { freePort } from '../listen.ts'
import { createDatabase, type TestDatabase } from '../postgres.ts'

const main = fileURLToPath(new URL('../../packages/gateway/src/program/main.ts', import.meta.url))
const source = ['--conditions=assent-source', main]
const startsWithinMs = 120_000

export interface GatewayProcess {
  /** Where the inbox is. */
  readonly url: string
  /** Where clients connect. */
  readonly mcp: string
  readonly store: Store
  /** Its configuration file. */
  readonly file: string
  /** Everything that the gateway wrote to its log since it was started. */
  log(): string
  /** A link that signs the local person in, as the command prints it. */
  link(): Promise<string>
  start(): Promise<void>
  /** Sends SIGKILL. */
  kill(): Promise<void>
  close(): Promise<void>
}

/** What several gateways on one database share. The caller drops the database. */
export interface SharedState {
  readonly database: TestDatabase
  readonly key: string
}

/**
 * `settings` is YAML beside `listen`, `store` and `keys`.
 *
 * @param port chosen before, if the settings name it
 */
export async function createGatewayProcess(
  settings: string,
  { shared, port: chosen }: { readonly shared?: SharedState; readonly port?: number } = {},
): Promise<GatewayProcess> {
  await builtWebApp()
  const [folder, database, port] = await Promise.all([
    mkdtemp(join(tmpdir(), 'assent-gateway-')),
    shared?.database ?? createDatabase(),
    chosen ?? freePort(),
  ])
  const file = join(folder, 'assent.yaml')
  const key = shared?.key ?? aSecretKey()
  const own = `listen: 127.0.0.1:${port}\nstore: "${database.url}"\nkeys: { k1: "${key}" }\n`
  await writeFile(file, `${own}${settings}\n`)
  const store = await openPostgres(database.url, {
    keys: createKeyRing([{ id: 'k1', secret: Buffer.from(key, 'base64') }]),
    connections: 4,
  })
  let running: { child: ChildProcess; log: string; ended: Promise<void> } | undefined

  const kill = async () => {
    running?.child.kill('SIGKILL')
    await running?.ended
  }
  return {
    url: `http://localhost:${port}`,
    mcp: `http://127.0.0.1:${port}/mcp`,
    store,
    file,
    log: () => running?.log ?? '',
    link: async () =>
      (await promisify(execFile)(process.execPath, [...source, 'inbox', 'link', '--config', file])).stdout.trim(),
    start: async () => {
      const child = spawn(process.execPath, [...source, 'gateway', '--config', file], {
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
      const one = { child, log: '', ended }
      running = one
      child.stderr.setEncoding('utf8').on('data', (text) => {
        one.log += text
      })
      for (const giveUpAt = Date.now() + startsWithinMs; !one.log.includes('"Listening."'); ) {
        if (child.exitCode !== null || Date.now() > giveUpAt) throw new Error(`The gateway did not start: ${one.log}`)
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
    },
    kill,
    close: async () => {
      await kill()
      await store.close()
      if (shared === undefined) await database.drop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** For the setting `keys`. */
export function aSecretKey(): string {
  return randomBytes(32).toString('base64')
}
