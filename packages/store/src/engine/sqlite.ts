// Runs steps on SQLite: a step of several parts is one immediate transaction.
//
// The file may be open in several processes (one per editor window); WAL lets them read while one writes, and the busy
// timeout makes writers queue. `synchronous = full`: an answer that was acknowledged survives a power cut.

import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { AssentError } from '@assent/core'
import { type Clock, DuplicateKey, type Engine } from './engine.ts'
import { type Params, type Part, parameter, type Row, type Statement, type Step, type Value } from './statement.ts'

export interface SqliteOptions {
  readonly path: string
  readonly busyTimeoutMs: number
}

interface CompiledPart {
  readonly part: Part
  readonly prepared: StatementSync
  readonly names: readonly string[]
  /** Earlier parts whose rows this one reads. */
  readonly reads: readonly string[]
}

export function openDatabase(options: SqliteOptions): DatabaseSync {
  const database = new DatabaseSync(options.path, { timeout: options.busyTimeoutMs })
  useWal(database, options.busyTimeoutMs)
  database.exec('pragma synchronous = full; pragma foreign_keys = on')
  return database
}

const retryPauseMs = 10

/** The busy timeout does not apply while other processes switch the same new file to or from WAL, so this retries. */
function useWal(database: DatabaseSync, busyTimeoutMs: number): void {
  const giveUpAt = performance.now() + busyTimeoutMs
  for (;;) {
    try {
      database.exec('pragma journal_mode = wal')
      return
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw storeError(error)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryPauseMs)
    }
  }
}

export class SqliteEngine implements Engine {
  readonly #database: DatabaseSync
  readonly #clock: Clock
  readonly #compiled = new Map<string, readonly CompiledPart[]>()

  /** Takes over the connection: a database in memory exists only in the connection that opened it. */
  constructor(database: DatabaseSync, clock: Clock = Date.now) {
    this.#database = database
    this.#clock = clock
  }

  get nowMs(): number {
    return this.#clock()
  }

  /** Changes with every commit of another connection. */
  dataVersion(): unknown {
    return this.#database.prepare('pragma data_version').get()?.data_version
  }

  async run<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]> {
    const parts = this.#prepared(statement)
    const [only] = parts
    try {
      // A single statement is atomic by itself.
      if (parts.length === 1 && only !== undefined)
        return this.#execute(only, { ...params, now: this.#clock() }, {}) as R[]
      return this.#inTransaction(() => this.#runParts<R>(statement, params))
    } catch (error) {
      throw storeError(error)
    }
  }

  /** There is no connection that could break. */
  async runRepeatable<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]> {
    return this.run(statement, params)
  }

  async batch<P extends Params, R extends Row>(statement: Statement<P, R>, list: readonly P[]): Promise<R[][]> {
    try {
      return this.#inTransaction(() => list.map((params) => this.#runParts<R>(statement, params)))
    } catch (error) {
      throw storeError(error)
    }
  }

  async close(): Promise<void> {
    this.#database.close()
  }

  #runParts<R>(statement: Step, params: Params): R[] {
    const timed = { ...params, now: this.#clock() }
    const returned: Record<string, Row[]> = {}
    for (const compiled of this.#prepared(statement)) {
      returned[compiled.part.name] = this.#execute(compiled, timed, returned)
    }
    return (returned[statement.result] ?? []) as R[]
  }

  #execute({ prepared, names, reads }: CompiledPart, params: Params, returned: Record<string, Row[]>): Row[] {
    const bound: Record<string, Value> = {}
    for (const name of names) bound[name] = params[name] ?? null
    for (const name of reads) bound[`rows_of_${name}`] = JSON.stringify(returned[name])
    return prepared.all(bound) as Row[]
  }

  #inTransaction<T>(work: () => T): T {
    this.#database.exec('begin immediate')
    try {
      const result = work()
      this.#database.exec('commit')
      return result
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('rollback')
      throw error
    }
  }

  #prepared(statement: Step): readonly CompiledPart[] {
    let compiled = this.#compiled.get(statement.name)
    if (compiled === undefined) {
      compiled = compileForSqlite(statement).map(({ part, sql, reads }) => {
        const names = [...new Set(Array.from(textOf(part).matchAll(parameter), ([, name]) => name ?? ''))]
        return { part, prepared: this.#database.prepare(sql), names, reads }
      })
      this.#compiled.set(statement.name, compiled)
    }
    return compiled
  }
}

function textOf({ sql, sqlite = sql }: Part): string {
  return sqlite
}

/** Passes the rows of earlier parts to each part that reads them, as a table made from JSON. */
function compileForSqlite(statement: Step): { part: Part; sql: string; reads: string[] }[] {
  return statement.parts.map((part, index) => {
    const earlier = statement.parts.slice(0, index).filter(({ name, returns }) => {
      return returns !== undefined && new RegExp(`\\b${name}\\b`).test(textOf(part))
    })
    const tables = earlier.map(({ name, returns = [] }) => {
      const columns = returns.map((column) => `value ->> '$.${column}' as ${column}`).join(', ')
      return `${name} as (select ${columns} from json_each(:rows_of_${name}))`
    })
    // Numbers are bound as floating point: as text the time would be `1785240000000.0`.
    const timed = textOf(part).replaceAll(/:now\b/g, 'cast(:now as integer)')
    const sql = tables.length === 0 ? timed : `with ${tables.join(', ')} ${timed}`
    return { part, sql, reads: earlier.map(({ name }) => name) }
  })
}

// https://www.sqlite.org/rescode.html
const sqliteBusy = 5
const sqliteConstraintPrimaryKey = 1555
const sqliteConstraintUnique = 2067

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === sqliteBusy
}

function storeError(error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error)) return error
  const code = Number(error.errcode)
  if (code === sqliteConstraintPrimaryKey || code === sqliteConstraintUnique) {
    const table = /failed: ([a-z_]+)\./.exec(error.message)?.[1] ?? 'unknown'
    return new DuplicateKey(table, error)
  }
  if (isBusy(error)) {
    return new AssentError('store_unavailable', 'Another process has locked the SQLite file for too long.', {
      cause: error,
    })
  }
  return error
}
