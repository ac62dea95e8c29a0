// One private PostgreSQL server: its folder, its settings, its process.
//
// The process is our child and ends with us in every case. Starting is retried: leftover processes of a killed server
// block the next one until they have ended.

import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { chownSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'

const startsWithinMs = 180_000
const lookMs = 10

/** PostgreSQL refuses to run as root, so as root it runs as the user that its package created. */
const owner: { uid?: number; gid?: number } =
  process.getuid?.() === 0 ? { uid: idOf('-u', 'postgres'), gid: idOf('-g', 'postgres') } : {}

// PostgreSQL variables of the caller's environment belong to another server.
const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG')))

/** Settings that can change while it runs. */
export interface ServerSettings {
  /** Whether a commit waits until a standby has it too. */
  readonly waitsForStandby: boolean
  /** The port of the server whose standby this is. */
  readonly follows?: number
  /** It loses everything in a crash, has room for many tests at a time, and never waits for the disk. */
  readonly isScratch?: boolean
}

export class PostgresServer {
  readonly port: number
  readonly folder: string
  readonly #log: number
  #process: ChildProcess | undefined

  constructor(home: string, name: string, port: number) {
    this.port = port
    this.folder = `${home}/${name}`
    this.#log = openSync(`${home}/${name}.log`, 'a')
  }

  get url(): string {
    return `postgres://root@127.0.0.1:${this.port}/postgres`
  }

  /** Creates an empty database. */
  async init(): Promise<void> {
    await runProgram('initdb', ['-D', this.folder, '-U', 'root', '--auth=trust', '--encoding=UTF8', '--no-locale'])
  }

  /** Creates a copy of another server's database (pg_basebackup). */
  async copy(from: PostgresServer): Promise<void> {
    const source = `host=127.0.0.1 port=${from.port} user=root`
    await runProgram('pg_basebackup', ['-D', this.folder, '-d', source, '--checkpoint=fast', '--wal-method=stream'])
    writeFileSync(`${this.folder}/standby.signal`, '')
  }

  configure({ waitsForStandby, follows, isScratch = false }: ServerSettings): void {
    const settings: Record<string, string | number> = {
      listen_addresses: '127.0.0.1',
      port: this.port,
      unix_socket_directories: '',
      max_connections: isScratch ? 300 : 100,
      shared_buffers: isScratch ? '256MB' : '32MB',
      wal_keep_size: '512MB',
      max_wal_senders: 4,
      // So that a standby reconnects as soon as its primary is up.
      wal_retrieve_retry_interval: '50ms',
      synchronous_standby_names: waitsForStandby ? '*' : '',
      ...(isScratch ? { fsync: 'off', full_page_writes: 'off', max_wal_size: '4GB' } : {}),
      ...(follows === undefined ? {} : { primary_conninfo: `host=127.0.0.1 port=${follows} user=root` }),
    }
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
    writeFileSync(`${this.folder}/postgresql.conf`, lines.join(''), { mode: 0o644 })
    this.#process?.kill('SIGHUP')
  }

  /** Resolves when it accepts connections. */
  async start(): Promise<void> {
    const giveUpAt = performance.now() + startsWithinMs
    while (performance.now() < giveUpAt) {
      const child = spawnServer(this.folder, this.#log)
      this.#process = child
      while (isRunning(child)) {
        if ((await this.ask('select 1').catch(() => undefined)) !== undefined) return
        if (performance.now() > giveUpAt) break
        await sleep(lookMs)
      }
    }
    const { folder } = this
    throw new Error(`PostgreSQL did not start: ${readFileSync(`${folder}.log`, 'utf8').slice(-2_000)}`)
  }

  /**
   * Kills it with all child processes, as a power failure would; or kills only the postmaster, and the others run until they
   * notice. Resolves when the postmaster has ended.
   */
  async kill(how: 'alone' | 'with all its children'): Promise<void> {
    const child = this.#process
    if (child === undefined || !isRunning(child)) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    this.killNow(how)
    await gone
  }

  killNow(how: 'alone' | 'with all its children'): void {
    const pid = this.#process?.pid
    if (pid === undefined || !isRunning(this.#process)) return
    const others = how === 'alone' ? [] : childrenOf(pid)
    for (const one of [pid, ...others]) signalIfThere(one, 'SIGKILL')
  }

  /** Pauses or resumes all of its processes. */
  signalAll(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pid = this.#process?.pid
    if (pid === undefined || !isRunning(this.#process)) throw new Error('This server does not run.')
    for (const one of [pid, ...childrenOf(pid)]) signalIfThere(one, signal)
  }

  async ask<Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 10_000, query_timeout: 90_000 })
    // The pending query reports the error too.
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.query<Row>(sql, [...values])).rows
    } finally {
      await client.end()
    }
  }
}

/** Whether the programs of a server are installed. */
export function hasPrograms(): boolean {
  return spawnSync(program('initdb'), ['--version']).status === 0
}

/** A folder that the owner of the server process may write to. */
export function makeHome(path: string): void {
  mkdirSync(path, { mode: 0o700 })
  if (owner.uid !== undefined && owner.gid !== undefined) chownSync(path, owner.uid, owner.gid)
}

/** Below the ephemeral range: an outgoing connection could take the port while the server is down. */
export async function serverPort(): Promise<number> {
  for (;;) {
    const port = 15_000 + Math.floor(Math.random() * 15_000)
    const probe = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      probe.once('error', () => resolve(false))
      probe.listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    await new Promise((resolve) => probe.close(resolve))
    return port
  }
}

function spawnServer(folder: string, log: number): ChildProcess {
  const command = [program('postgres'), '-D', folder]
  // If the system supports it, the server ends as soon as this process ends, even if it was killed.
  const bound = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL', ...command] : command
  const [first = '', ...rest] = bound
  return spawn(first, rest, { ...owner, env: environment, cwd: '/', stdio: ['ignore', log, log] })
}

async function runProgram(name: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(program(name), args, { ...owner, env: environment, cwd: '/' })
}

/** On Debian the server's programs are not in the PATH but in one folder per version. */
function program(name: string): string {
  const found = globSync(`/usr/lib/postgresql/*/bin/${name}`)
  const version = (path: string) => Number(path.split('/')[4])
  return found.toSorted((a, b) => version(b) - version(a))[0] ?? name
}

function idOf(which: '-u' | '-g', user: string): number {
  return Number(execFileSync('id', [which, user], { encoding: 'utf8' }))
}

function childrenOf(pid: number): number[] {
  const listed = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return listed.split(' ').filter(Boolean).map(Number)
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function isRunning(child: ChildProcess | undefined): boolean {
  return child !== undefined && child.exitCode === null && child.signalCode === null
}
