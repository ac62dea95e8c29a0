// A database that can be killed and restarted: a primary and its synchronous standby, private to this process.
//
// A commit is acknowledged once both servers have it, so the standby may be promoted whenever it is in sync. While the
// standby is being rebuilt there is no promotion. The connection between them can be slow, as over a network.

import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Link } from './faulty-link.ts'
import { makeHome, PostgresServer, serverPort } from './postgres-server.ts'

const lookMs = 20
const inStepWithinMs = 180_000

export class ReplicatedPostgres {
  readonly #home: string
  #primary: PostgresServer
  #standby: PostgresServer
  /** What each commit takes longer because of the connection to the standby. */
  readonly #delayMs: number
  #link: Link | undefined
  readonly #removeAtExit = () => this.#removeNow()
  readonly #leave = () => process.exit(130)

  private constructor(home: string, primary: PostgresServer, standby: PostgresServer, delayMs: number) {
    this.#home = home
    this.#delayMs = delayMs
    this.#primary = primary
    this.#standby = standby
    process.once('exit', this.#removeAtExit)
    // Without a listener an interrupt would end the process before the cleanup.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, this.#leave)
  }

  /** @param delayMs added to every commit by a proxy between the two servers */
  static async start(name: string, delayMs = 0): Promise<ReplicatedPostgres> {
    const home = `${tmpdir()}/assent-database-${process.pid}-${name}`
    makeHome(home)
    const primary = new PostgresServer(home, 'one', await serverPort())
    const standby = new PostgresServer(home, 'other', await serverPort())
    const cluster = new ReplicatedPostgres(home, primary, standby, delayMs)
    await primary.init()
    primary.configure({ waitsForStandby: false })
    await primary.start()
    await cluster.renewStandby()
    return cluster
  }

  get url(): string {
    return this.#primary.url
  }

  get port(): number {
    return this.#primary.port
  }

  /** It is read-only. */
  get standbyUrl(): string {
    return this.#standby.url
  }

  /** Queries the primary directly. */
  ask: PostgresServer['ask'] = (sql, values) => this.#primary.ask(sql, values)

  async killPrimary(how: 'alone' | 'with all its children'): Promise<void> {
    await this.#primary.kill(how)
  }

  /** Resolves when it accepts connections again. */
  async startPrimary(): Promise<void> {
    await this.#primary.start()
  }

  /** Promotes the standby after the primary was killed. Resolves when it accepts writes. */
  async promote(): Promise<void> {
    await this.#primary.ask('select pg_promote(true, 60)')
  }

  /** Directs queries to the standby once it has replayed everything it received. It is still read-only. */
  async chooseStandby(): Promise<void> {
    const chosen = this.#standby
    const all =
      'select 1 where pg_last_wal_replay_lsn() >= coalesce(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn())'
    while ((await chosen.ask(all)).length === 0) await sleep(lookMs)
    this.#standby = this.#primary
    this.#primary = chosen
  }

  /** Rebuilds the standby from the primary; resolves when every commit waits for it. */
  async renewStandby(): Promise<void> {
    const [primary, standby] = [this.#primary, this.#standby]
    await standby.kill('with all its children')
    await rm(standby.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    await standby.copy(primary)
    standby.configure({ waitsForStandby: false, follows: await this.#portFor(primary) })
    await standby.start()
    primary.configure({ waitsForStandby: true })
    await this.standbyIsInStep()
  }

  /**
   * Resolves when the standby has everything that the primary has now, and later commits wait for it. Commits that became
   * visible in a restart before that did not wait for the standby: it may be promoted only from here on.
   */
  async standbyIsInStep(): Promise<void> {
    const [now] = await this.ask<{ lsn: string }>('select pg_current_wal_flush_lsn()::text as lsn')
    const giveUpAt = performance.now() + inStepWithinMs
    while (performance.now() < giveUpAt) {
      const attached = await this.ask(
        `select 1 from pg_stat_replication where state = 'streaming' and sync_state = 'sync' and flush_lsn >= $1::pg_lsn`,
        [now?.lsn],
      )
      if (attached.length > 0) return
      await sleep(lookMs)
    }
    throw new Error('The standby did not get in sync.')
  }

  /** Pauses the standby: commits wait until the returned function is called. */
  pauseStandby(): () => void {
    const standby = this.#standby
    standby.signalAll('SIGSTOP')
    return () => standby.signalAll('SIGCONT')
  }

  async remove(): Promise<void> {
    for (const server of [this.#primary, this.#standby]) await server.kill('with all its children')
    await this.#link?.close()
    process.removeListener('exit', this.#removeAtExit)
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.removeListener(signal, this.#leave)
    await rm(this.#home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }

  /** The port at which the standby reaches the primary. */
  async #portFor(primary: PostgresServer): Promise<number> {
    await this.#link?.close()
    if (this.#delayMs === 0) return primary.port
    const eachWayMs = this.#delayMs / 2
    this.#link = await Link.to(primary.url, primary.port, { slowMs: { least: eachWayMs, most: eachWayMs } })
    await this.#link.fail('slow')
    return this.#link.port
  }

  #removeNow(): void {
    for (const server of [this.#primary, this.#standby]) server.killNow('with all its children')
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
  }
}
