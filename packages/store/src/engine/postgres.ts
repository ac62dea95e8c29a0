// Runs steps on PostgreSQL: a step of several parts is one statement, prepared once per connection unless a pooler is used.
//
// A step is committed completely or not at all. If a connection breaks while a step runs, it is unknown which. A step that can
// be repeated safely is then run once more. If that fails too, or the step cannot be repeated, the error is
// `store_unavailable`, and the caller reads the row before it reports a result.

import { AssentError, isAssentError } from '@assent/core'
import pg from 'pg'
import { ConnectionSettings, type Prepared } from './connection-settings.ts'
import { type Clock, DuplicateKey, type Engine, type PoolState } from './engine.ts'
import { guardedSocket } from './guarded-socket.ts'
import { HealthCheck } from './health-check.ts'
import { healthConnection, isFromDatabase } from './health-connection.ts'
import { Pools } from './pools.ts'
import { type Params, parameter, query, type Row, type Statement, type Step } from './statement.ts'

export interface PostgresOptions {
  readonly url: string
  readonly schema: string
  readonly connections: number
  readonly statementTimeoutMs: number
  readonly connectTimeoutMs: number
  readonly onError: (error: unknown) => void
  /** The database stopped answering: every connection to it may be dead. */
  readonly onUnavailable?: () => void
  readonly clock?: Clock
}

/**
 * The client-side timeout beyond the server's own, as a last resort: it uses this process's clock, so after the process itself
 * was blocked it may fire although the answer has arrived.
 */
const clientTimeoutMs = 4_000
/** A session that holds a lock for longer is stuck; sessions that wait for the lock fail instead of waiting too. */
const lockWaitMs = 1_000
const idleInTransactionMs = 2_000
/** For background work, on separate connections. */
const background = { connections: 2, statementTimeoutMs: 30_000 }
/** For the check that writes are confirmed. One that hangs is not repeated earlier: the server keeps its side of it open. */
const isolated = { connections: 1, timeoutMs: 60_000 }

interface Compiled {
  readonly text: string
  readonly names: readonly string[]
  /** It changes nothing, so it can always be repeated. */
  readonly isRead: boolean
}

// Milliseconds since 1970 fit a double; the driver's default, text, would make comparisons wrong.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

type ConnectionOptions = Pick<PostgresOptions, 'url' | 'connections' | 'statementTimeoutMs' | 'connectTimeoutMs'>

export function poolConfig(options: ConnectionOptions): pg.PoolConfig {
  return {
    connectionString: options.url,
    max: options.connections,
    connectionTimeoutMillis: options.connectTimeoutMs,
    // The server's own timeout does not help if the network fails.
    query_timeout: options.statementTimeoutMs + clientTimeoutMs,
    keepAlive: true,
    stream: guardedSocket,
    types,
  }
}

export function settingsFor(options: Pick<PostgresOptions, 'schema' | 'statementTimeoutMs'>): ConnectionSettings {
  const { schema, statementTimeoutMs } = options
  const lockTimeoutMs = Math.min(lockWaitMs, statementTimeoutMs)
  return new ConnectionSettings({ schema, statementTimeoutMs, lockTimeoutMs, idleInTransactionMs })
}

type Work<Value> = (client: pg.PoolClient, settings: ConnectionSettings) => Promise<Value>

/** The schema whose tables a statement uses, and whether its commit is acknowledged only after it is written. */
const findSchema = query<Record<string, never>, { schema: string; commits: string }>(
  'find_schema',
  `select n.nspname as schema, current_setting('synchronous_commit') as commits
   from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.oid = to_regclass('asks')`,
)

export class PostgresEngine implements Engine {
  readonly #health: HealthCheck
  readonly #clock: Clock | undefined
  readonly #compiled = new Map<string, Compiled>()
  readonly #schema: string
  #pools: Pools

  constructor(options: PostgresOptions) {
    const { onError, clock } = options
    const foreground = { config: poolConfig(options), settings: settingsFor(options) }
    const slow = { ...options, ...background }
    const { connections: max, timeoutMs: query_timeout } = isolated
    const newPools = () =>
      new Pools({
        foreground,
        background: { config: poolConfig(slow), settings: settingsFor(slow) },
        isolated: { ...foreground, config: { ...foreground.config, max, query_timeout } },
        onError,
      })
    this.#pools = newPools()
    this.#schema = options.schema
    this.#clock = clock
    const onUnavailable = () => {
      // Connections that got no answer may stay dead when the database is back.
      this.#pools.destroy()
      this.#pools = newPools()
      options.onUnavailable?.()
    }
    const connection = healthConnection(foreground.config, foreground.settings, healthQuery)
    this.#health = new HealthCheck({ connection, onUnavailable, onError })
  }

  /**
   * Throws if the database does not return its time, if statements would use the tables of another schema, or if commits are
   * acknowledged before they are written.
   */
  async start(): Promise<void> {
    await this.#health.start().catch((error: unknown) => {
      throw storeError(error)
    })
    const [row] = await this.run(findSchema, {})
    if (row?.schema !== this.#schema) {
      const found = row === undefined ? 'no tables of Assent' : `the tables of the schema "${row.schema}"`
      throw new AssentError(
        'misconfigured',
        `The connection to PostgreSQL reaches ${found}, not those of "${this.#schema}". A proxy between this process and the database changes its settings.`,
      )
    }
    if (row.commits === 'off') {
      throw new AssentError(
        'misconfigured',
        'PostgreSQL has synchronous_commit = off, so a crash could lose acknowledged decisions. Through a connection pooler a gateway cannot override it. Set it for the role of the gateways: alter role … set synchronous_commit = on.',
      )
    }
  }

  get nowMs(): number {
    return this.#clock?.() ?? Math.round(this.#health.nowMs ?? Date.now())
  }

  get pool(): PoolState {
    return this.#pools.state
  }

  run<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]> {
    return this.#compile(statement).isRead ? this.runRepeatable(statement, params) : this.#runOnce(statement, params)
  }

  async runRepeatable<P extends Params, R extends Row>(
    statement: Statement<P, R>,
    params: P,
    onRepeat?: () => void,
  ): Promise<R[]> {
    try {
      return await this.#runOnce(statement, params)
    } catch (error) {
      if (!isUnclear(error)) throw error
    }
    onRepeat?.()
    return this.#runOnce(statement, params)
  }

  batch<P extends Params, R extends Row>(statement: Statement<P, R>, list: readonly P[]): Promise<R[][]> {
    // Batches are audit notes, which no request waits for.
    return this.#withClient({ ...statement, isBackground: true }, (client, settings) => {
      const prepared = list.map((params) => this.#prepared(statement, params))
      return settings.inTransaction<R>(client, prepared)
    })
  }

  async close(): Promise<void> {
    this.#health.close()
    await this.#pools.end()
  }

  #runOnce<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]> {
    return this.#withClient(statement, (client, settings) => settings.run<R>(client, this.#prepared(statement, params)))
  }

  /** Uses a connection of the pool. After an error the connection is closed, and the server rolls back. */
  #withClient<Value>(step: Step, work: Work<Value>): Promise<Value> {
    const noDeadline = step.isBackground === true || step.isIsolated === true
    return this.#health.watch(async (pending) => {
      const { pool, settings } = this.#pools.of(step)
      const client = await pool.connect().catch((error: unknown) => {
        throw storeError(error)
      })
      let failure: unknown
      try {
        if (pending.isAbandoned) throw new Error('The caller no longer waits for this statement.')
        return await work(client, settings)
      } catch (error) {
        failure = error
        throw storeError(error)
      } finally {
        client.release(failure !== undefined)
      }
    }, noDeadline)
  }

  #prepared(statement: Step, params: Params): Prepared {
    const { text, names } = this.#compile(statement)
    const now = this.#clock?.() ?? null
    const values = names.map((name) => (name === 'now' ? now : params[name]))
    return { name: statement.name, text, values }
  }

  #compile(statement: Step): Compiled {
    let compiled = this.#compiled.get(statement.name)
    if (compiled === undefined) {
      compiled = compileForPostgres(statement)
      this.#compiled.set(statement.name, compiled)
    }
    return compiled
  }
}

export function compileForPostgres(statement: Step): Compiled {
  const names: string[] = []
  const numbered = (sql: string) =>
    sql.replace(parameter, (_, name: string) => {
      let index = names.indexOf(name)
      if (index < 0) index = names.push(name) - 1
      return name === 'now' ? `coalesce($${index + 1}::bigint, ${databaseNowMs})` : `$${index + 1}`
    })

  const [first] = statement.parts
  if (statement.parts.length === 1 && first !== undefined) {
    return { text: numbered(first.sql), names, isRead: /^\s*select\b/.test(first.sql) }
  }
  const parts = statement.parts.map((part) => `${part.name} as (${numbered(part.sql)})`)
  const result = statement.parts.find((part) => part.name === statement.result)
  const columns = result?.selects ?? result?.returns ?? []
  const text = `with ${parts.join(',\n')}\nselect ${columns.join(', ')} from ${statement.result}`
  return { text, names, isRead: false }
}

// The time at which the statement began: all parts see the same time, and an answer that arrived before the deadline still
// counts if it had to wait for a lock.
const databaseNowMs = '(extract(epoch from statement_timestamp()) * 1000)::bigint'

// It reads the table that every decision needs: while that table is locked, nothing can be decided.
const healthQuery = `select ${databaseNowMs} as now, exists (select from asks where tenant = '' and id = '')`

/** The connection broke, so it is unknown whether the statement was committed. False if it was never sent. */
function isUnclear(thrown: unknown): boolean {
  const error = isAssentError(thrown, 'store_unavailable') ? thrown.cause : undefined
  if (!(error instanceof Error)) return false
  if (isFromDatabase(error)) return /^(08|57P0[12])/.test(error.code ?? '')
  const { code = '', message } = error as NodeJS.ErrnoException
  return ['ECONNRESET', 'EPIPE'].includes(code) || /terminated unexpectedly|not queryable/.test(message)
}

/** The store's error for an error of the database or the driver. */
export function storeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (!isFromDatabase(error)) {
    return new AssentError('store_unavailable', `The database cannot be reached: ${error.message}`, { cause: error })
  }
  if (error.code === '23505') return new DuplicateKey(error.table ?? 'unknown', error)
  if (isTemporary(error.code ?? '')) {
    return new AssentError('store_unavailable', `The database cannot do this now: ${error.message}`, { cause: error })
  }
  return error
}

/**
 * Connection errors (08), insufficient resources (53), operator intervention, start and shutdown (57), lock waits; and a
 * read-only server (25006): a standby that is about to take over, or a former primary.
 */
function isTemporary(code: string): boolean {
  return /^(08|53|57)/.test(code) || ['25006', '40001', '40P01', '55P03'].includes(code)
}
