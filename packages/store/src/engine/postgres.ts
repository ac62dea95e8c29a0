// Runs steps on PostgreSQL: a step of several parts is one statement, prepared once per connection.
//
// Nothing here decides anything: a step either happened whole or not at all, and when a connection breaks while one was
// under way nobody knows which. That is told as `store_unavailable`, and the caller looks again before it answers.

import { AssentError } from '@assent/core'
import pg from 'pg'
import { type Clock, DuplicateKey, type Engine } from './engine.ts'
import { type Params, parameter, type Row, type Statement, type Step, type Value } from './statement.ts'

export interface PostgresOptions {
  readonly url: string
  readonly schema: string
  readonly connections: number
  readonly statementTimeoutMs: number
  readonly connectTimeoutMs: number
  readonly onTrouble: (error: unknown) => void
  readonly clock?: Clock
}

const silenceMs = 500

interface Compiled {
  readonly text: string
  readonly names: readonly string[]
}

// Milliseconds since 1970 fit a double; the driver's default of text would make every comparison a trap.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

export function poolConfig(options: Omit<PostgresOptions, 'clock' | 'onTrouble'>): pg.PoolConfig {
  return {
    connectionString: options.url,
    max: options.connections,
    connectionTimeoutMillis: options.connectTimeoutMs,
    statement_timeout: options.statementTimeoutMs,
    // The server's own limit is of no use when the network between has gone silent.
    query_timeout: options.statementTimeoutMs + silenceMs,
    keepAlive: true,
    // Every statement is written for one plan, an index walk; planning it anew for each execution would cost as much as
    // running it.
    options: `-c search_path=${options.schema} -c plan_cache_mode=force_generic_plan`,
    types,
  }
}

export class PostgresEngine implements Engine {
  readonly #pool: pg.Pool
  readonly #clock: Clock | undefined
  readonly #compiled = new Map<string, Compiled>()

  constructor(options: PostgresOptions) {
    this.#pool = new pg.Pool(poolConfig(options))
    this.#clock = options.clock
    // An idle connection that breaks is replaced at its next use; without a listener it would end the process.
    this.#pool.on('error', options.onTrouble)
  }

  async run<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]> {
    try {
      const { rows } = await this.#pool.query<R>(this.#prepared(statement, params))
      return rows
    } catch (error) {
      throw explain(error)
    }
  }

  async batch<P extends Params, R extends Row>(statement: Statement<P, R>, list: readonly P[]): Promise<R[][]> {
    const client = await this.#pool.connect().catch((error: unknown) => {
      throw explain(error)
    })
    let broken = false
    try {
      await client.query('begin')
      const results: R[][] = []
      for (const params of list) results.push((await client.query<R>(this.#prepared(statement, params))).rows)
      await client.query('commit')
      return results
    } catch (error) {
      // A connection that cannot even roll back is thrown away, and the server rolls back for it.
      await client.query('rollback').catch(() => {
        broken = true
      })
      throw explain(error)
    } finally {
      client.release(broken)
    }
  }

  async close(): Promise<void> {
    await this.#pool.end()
  }

  #prepared(statement: Step, params: Params): pg.QueryConfig<(Value | undefined)[]> {
    let compiled = this.#compiled.get(statement.name)
    if (compiled === undefined) {
      compiled = compileForPostgres(statement)
      this.#compiled.set(statement.name, compiled)
    }
    const now = this.#clock?.() ?? null
    const values = compiled.names.map((name) => (name === 'now' ? now : params[name]))
    return { name: statement.name, text: compiled.text, values }
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
  if (statement.parts.length === 1 && first !== undefined) return { text: numbered(first.sql), names }
  const parts = statement.parts.map((part) => `${part.name} as (${numbered(part.sql)})`)
  const result = statement.parts.find((part) => part.name === statement.result)
  const told = result?.tells ?? result?.returns ?? []
  return { text: `with ${parts.join(',\n')}\nselect ${told.join(', ')} from ${statement.result}`, names }
}

// The start of the statement, not of the moment: all parts see one time, and an answer that arrived before the deadline
// still counts when it had to wait for a lock.
const databaseNowMs = '(extract(epoch from statement_timestamp()) * 1000)::bigint'

function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  if (!(error instanceof pg.DatabaseError)) {
    return new AssentError('store_unavailable', `The database cannot be reached: ${error.message}`, { cause: error })
  }
  if (error.code === '23505') return new DuplicateKey(error.table ?? 'unknown', error)
  if (isPassing(error.code ?? '')) {
    return new AssentError('store_unavailable', `The database cannot do this now: ${error.message}`, { cause: error })
  }
  return error
}

/** Connection trouble (08), too little of something (53), someone intervened or it starts or stops (57), lock waits. */
function isPassing(code: string): boolean {
  return /^(08|53|57)/.test(code) || code === '55P03' || code === '40001' || code === '40P01'
}
