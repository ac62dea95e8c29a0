// The contract of a database engine: run one step, run several in one transaction, report errors.

import type { Params, Row, Statement } from './statement.ts'

/** Open connections to the database for statements. */
export interface PoolState {
  readonly open: number
  readonly idle: number
  /** Statements waiting for a connection. */
  readonly waiting: number
  readonly most: number
}

export interface Engine {
  run<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]>
  /**
   * Like `run`, but runs the step a second time if the connection broke, because it is then unknown whether the step was
   * committed. Only for steps that change nothing when run again with the same parameters, and whose caller can tell whether
   * the first run was committed.
   *
   * @param onRepeat called before the second run
   */
  runRepeatable<P extends Params, R extends Row>(
    statement: Statement<P, R>,
    params: P,
    onRepeat?: () => void,
  ): Promise<R[]>
  /** All or nothing, in order. */
  batch<P extends Params, R extends Row>(statement: Statement<P, R>, list: readonly P[]): Promise<R[][]>
  /** The database's time, which all deadlines use, as known without a query. */
  readonly nowMs: number
  /** Absent if there is one connection and no pool. */
  readonly pool?: PoolState | undefined
  close(): Promise<void>
}

/** A clock in milliseconds. Only tests pass one: otherwise the database's clock is used, because replicas' clocks differ. */
export type Clock = () => number

/** A row with this key exists already. The caller derives the meaning from the table's name. */
export class DuplicateKey extends Error {
  readonly table: string

  constructor(table: string, cause: unknown) {
    super(`The table ${table} already has a row with this key.`, { cause })
    this.name = 'DuplicateKey'
    this.table = table
  }
}

/**
 * Inserts a row whose key is unique to this attempt. Returns no rows also if the key exists: then the first run of this insert
 * was committed before its connection broke, and the caller reads the row.
 */
export async function insertOnce<P extends Params, R extends Row>(
  engine: Engine,
  table: string,
  statement: Statement<P, R>,
  params: P,
): Promise<R[]> {
  try {
    return await engine.runRepeatable(statement, params)
  } catch (error) {
    if (error instanceof DuplicateKey && error.table === table) return []
    throw error
  }
}
