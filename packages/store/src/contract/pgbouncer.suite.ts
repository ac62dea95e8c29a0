// PgBouncer as Debian ships it, in front of the test database.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { onTestFinished } from 'vitest'
import { freePort } from '../../../../test-kit/listen.ts'
import { removeFolder } from '../../../../test-kit/remove-folder.ts'
import { postgresUrl } from './engines.suite.ts'

export type PoolMode = 'session' | 'transaction'

export interface PgBouncer {
  /** The address of the same database through it. */
  readonly url: string
}

// Few in transaction mode, so that consecutive transactions of a client run on different server connections.
const poolSize = { session: 30, transaction: 3 }

/** Debian installs servers in a folder that is only in root's PATH. */
const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` }

/** Whether its tests are skipped. Never in CI, where scripts/programs installs it. */
export const isMissing: boolean =
  process.env.CI === undefined && spawnSync('which', ['pgbouncer'], { env }).status !== 0

/** Starts it for one test, on a separate port. */
export async function aPgBouncer(mode: PoolMode, ...users: readonly string[]): Promise<PgBouncer> {
  const target = new URL(postgresUrl)
  const port = await freePort()
  const folder = await mkdtemp(join(tmpdir(), 'assent-pgbouncer-'))
  const known = [decodeURIComponent(target.username), ...users]
  await writeFile(join(folder, 'users.txt'), known.map((user) => `"${user}" ""\n`).join(''))
  await writeFile(
    join(folder, 'pgbouncer.ini'),
    `[databases]
* = host=${target.hostname} port=${target.port || 5432}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${folder}/users.txt
pool_mode = ${mode}
default_pool_size = ${poolSize[mode]}
max_client_conn = 500
; A common setting: without it, clients with startup parameters cannot connect. The parameters are dropped.
ignore_startup_parameters = options, extra_float_digits, statement_timeout, lock_timeout
`,
  )
  // It refuses to run as root, so another user may have to read its files.
  await chmod(folder, 0o755)
  const asOther = process.getuid?.() === 0 ? ['-u', 'postgres'] : []
  const child = spawn('pgbouncer', [...asOther, join(folder, 'pgbouncer.ini')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(String(bytes)))
  onTestFinished(async () => {
    await ended(child)
    await removeFolder(folder)
  })
  const url = Object.assign(new URL(postgresUrl), { host: `127.0.0.1:${port}` }).href
  await untilItServes(url, () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended: ${output.join('')}`)
  })
  return { url }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const closed = once(child, 'close')
  // Ends it at once, with every connection.
  child.kill('SIGTERM')
  await closed
}

async function untilItServes(url: string, check: () => void): Promise<void> {
  const giveUpAt = performance.now() + 60_000
  for (;;) {
    check()
    const client = new pg.Client(url)
    client.on('error', () => undefined)
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (performance.now() > giveUpAt) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
