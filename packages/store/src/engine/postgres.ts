// Runs steps on PostgreSQL: a step of several parts is one statement, prepared once per connection where no pooler is
// between.
//
// Nothing here decides anything: a step either happened whole or not at all, and when a connection breaks while one was
// under way nobody knows which. A step that can be repeated without harm is run once more; if that fails too, or it cannot,
// it is told as `store_unavailable`, and the caller looks again before it answers.

import { AssentError, isAssentError } from '@assent/core'
import pg from 'pg'
import { carefulSocket } from './careful-socket.ts'
import { ConnectionSettings, type Prepared } from './connection-settings.ts'
import { type Clock, DuplicateKey, type Engine, type PoolState } from './engine.ts'
import { Pools } from './pools.ts'
import { Pulse } from './pulse.ts'
import { isFromDatabase, pulseLine } from './pulse-line.ts'
import { type Params, parameter, query, type Row, type Statement, type Step } from './statement.ts'

export interface PostgresOptions {
  readonly url: string
  readonly schema: string
  readonly connections: number
  readonly statementTimeoutMs: number
  readonly connectTimeoutMs: number
  readonly onTrouble: (error: unknown) => void
  /** The database has fallen silent: every connection to it may be dead. */
  readonly onAway?: () => void
  readonly clock?: Clock
}

/** The last resort, by a clock of ours: a process that was held up itself takes what it has not read yet for silence. */
const silenceMs = 4_000
/** Whoever holds a lock for longer is stuck, and those behind must not be stuck with them. */
const lockWaitMs = 1_000
const idleInTransactionMs = 2_000
/** For statements that nobody waits for, on connections of their own. */
const unhurried = { connections: 2, statementTimeoutMs: 30_000 }
/** For the check that writes are confirmed. One that hangs is not repeated sooner: the server keeps its own side of it. */
const apart = { connections: 1, giveUpMs: 60_000 }

interface Compiled {
  readonly text: string
  readonly names: readonly string[]
  /** It changes nothing, so it can always be run again. */
  readonly isReading: boolean
}

// Milliseconds since 1970 fit a double; the driver's default of text would make every comparison a trap.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

type Reached = Pick<PostgresOptions, 'url' | 'connections' | 'statementTimeoutMs' | 'connectTimeoutMs'>

export function poolConfig(options: Reached): pg.PoolConfig {
  return {
    connectionString: options.url,
    max: options.connections,
    connectionTimeoutMillis: options.connectTimeoutMs,
    // The server's own limit is of no use when the network between has gone silent.
    query_timeout: options.statementTimeoutMs + silenceMs,
    keepAlive: true,
    stream: carefulSocket,
    types,
  }
}

export function settingsFor(options: Pick<PostgresOptions, 'schema' | 'statementTimeoutMs'>): ConnectionSettings {
  const { schema, statementTimeoutMs } = options
  const lockTimeoutMs = Math.min(lockWaitMs, statementTimeoutMs)
  return new ConnectionSettings({ schema, statementTimeoutMs, lockTimeoutMs, idleInTransactionMs })
}

type Work<Value> = (client: pg.PoolClient, settings: ConnectionSettings) => Promise<Value>

/** Where the tables are that a statement reaches. */
const findSchema = query<Record<string, never>, { schema: string }>(
  'find_schema',
  `select n.nspname as schema from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.oid = to_regclass('asks')`,
)

export class PostgresEngine implements Engine {
  readonly #pulse: Pulse
  readonly #clock: Clock | undefined
  readonly #compiled = new Map<string, Compiled>()
  readonly #schema: string
  #pools: Pools

  constructor(options: PostgresOptions) {
    const { onTrouble, clock } = options
    const hurried = { config: poolConfig(options), settings: settingsFor(options) }
    const slow = { ...options, ...unhurried }
    const { connections: max, giveUpMs: query_timeout } = apart
    const pools = () =>
      new Pools({
        hurried,
        unhurried: { config: poolConfig(slow), settings: settingsFor(slow) },
        apart: { ...hurried, config: { ...hurried.config, max, query_timeout } },
        onTrouble,
      })
    this.#pools = pools()
    this.#schema = options.schema
    this.#clock = clock
    const onAway = () => {
      // Connections that fell silent may stay so when the database is back.
      this.#pools.break()
      this.#pools = pools()
      options.onAway?.()
    }
    this.#pulse = new Pulse({ line: pulseLine(hurried.config, hurried.settings, pulseQuestion), onAway, onTrouble })
  }

  /** Throws when the database does not say what time it is, or when statements would reach the tables of another schema. */
  async begin(): Promise<void> {
    await this.#pulse.begin().catch((error: unknown) => {
      throw explain(error)
    })
    const [row] = await this.run(findSchema, {})
    if (row?.schema !== this.#schema) {
      const found = row === undefined ? 'no tables of Assent' : `the tables of the schema "${row.schema}"`
      throw new AssentError(
        'misconfigured',
        `The connection to PostgreSQL reaches ${found}, not those of "${this.#schema}". Something between here and the database changes its settings.`,
      )
    }
  }

  get nowMs(): number {
    return this.#clock?.() ?? Math.round(this.#pulse.nowMs ?? Date.now())
  }

  get pool(): PoolState {
    return this.#pools.state
  }

  run<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]> {
    return this.#compile(statement).isReading ? this.runRepeatable(statement, params) : this.#once(statement, params)
  }

  async runRepeatable<P extends Params, R extends Row>(
    statement: Statement<P, R>,
    params: P,
    onRepeat?: () => void,
  ): Promise<R[]> {
    try {
      return await this.#once(statement, params)
    } catch (error) {
      if (!isBrokenOff(error)) throw error
    }
    onRepeat?.()
    return this.#once(statement, params)
  }

  batch<P extends Params, R extends Row>(statement: Statement<P, R>, list: readonly P[]): Promise<R[][]> {
    // Several in one transaction are notes of what happened, which nobody waits for.
    return this.#with({ ...statement, isUnhurried: true }, (client, settings) => {
      const prepared = list.map((params) => this.#prepared(statement, params))
      return settings.inTransaction<R>(client, prepared)
    })
  }

  async close(): Promise<void> {
    this.#pulse.close()
    await this.#pools.end()
  }

  #once<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]> {
    return this.#with(statement, (client, settings) => settings.run<R>(client, this.#prepared(statement, params)))
  }

  /** On a connection of the pool. One on which anything failed is thrown away, and the server rolls back for it. */
  #with<Value>(step: Step, work: Work<Value>): Promise<Value> {
    const isPatient = step.isUnhurried === true || step.isApart === true
    return this.#pulse.watch(async (waiting) => {
      const { pool, settings } = this.#pools.of(step)
      const client = await pool.connect().catch((error: unknown) => {
        throw explain(error)
      })
      let failure: unknown
      try {
        if (waiting.isOver) throw new Error('Nobody waits for it any more.')
        return await work(client, settings)
      } catch (error) {
        failure = error
        throw explain(error)
      } finally {
        client.release(failure !== undefined)
      }
    }, isPatient)
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
    return { text: numbered(first.sql), names, isReading: /^\s*select\b/.test(first.sql) }
  }
  const parts = statement.parts.map((part) => `${part.name} as (${numbered(part.sql)})`)
  const result = statement.parts.find((part) => part.name === statement.result)
  const told = result?.tells ?? result?.returns ?? []
  const text = `with ${parts.join(',\n')}\nselect ${told.join(', ')} from ${statement.result}`
  return { text, names, isReading: false }
}

// The start of the statement, not of the moment: all parts see one time, and an answer that arrived before the deadline
// still counts when it had to wait for a lock.
const databaseNowMs = '(extract(epoch from statement_timestamp()) * 1000)::bigint'

// It touches the table that everything hangs on: while somebody keeps that one locked, nothing can be decided.
const pulseQuestion = `select ${databaseNowMs} as now, exists (select from asks where tenant = '' and id = '')`

/** The connection broke, so that nobody knows whether the statement happened. One that was never made is not among these. */
function isBrokenOff(told: unknown): boolean {
  const error = isAssentError(told, 'store_unavailable') ? told.cause : undefined
  if (!(error instanceof Error)) return false
  if (isFromDatabase(error)) return /^(08|57P0[12])/.test(error.code ?? '')
  const { code = '', message } = error as NodeJS.ErrnoException
  return ['ECONNRESET', 'EPIPE'].includes(code) || /terminated unexpectedly|not queryable/.test(message)
}

/** What the database said, in the words of the store. */
export function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (!isFromDatabase(error)) {
    return new AssentError('store_unavailable', `The database cannot be reached: ${error.message}`, { cause: error })
  }
  if (error.code === '23505') return new DuplicateKey(error.table ?? 'unknown', error)
  if (isPassing(error.code ?? '')) {
    return new AssentError('store_unavailable', `The database cannot do this now: ${error.message}`, { cause: error })
  }
  return error
}

/**
 * Connection trouble (08), too little of something (53), someone intervened or it starts or stops (57), lock waits; and a
 * server that only reads (25006): a standby that is about to take over, or one that was the primary until just now.
 */
function isPassing(code: string): boolean {
  return /^(08|53|57)/.test(code) || ['25006', '40001', '40P01', '55P03'].includes(code)
}
