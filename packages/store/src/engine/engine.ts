// What the store needs of a database: run one step, run several in one transaction, say what went wrong.

import type { Params, Row, Statement } from './statement.ts'

/** Connections to the database that statements run on. */
export interface PoolState {
  readonly open: number
  readonly idle: number
  /** Statements that wait for a connection. */
  readonly waiting: number
  readonly most: number
}

export interface Engine {
  run<P extends Params, R extends Row>(statement: Statement<P, R>, params: P): Promise<R[]>
  /**
   * The same, and once more when the connection broke and nobody knows whether it happened. For a step that changes nothing
   * more when it is run again with the same parameters, and whose caller can tell what the first time did.
   *
   * @param onRepeat told when it is run again
   */
  runRepeatable<P extends Params, R extends Row>(
    statement: Statement<P, R>,
    params: P,
    onRepeat?: () => void,
  ): Promise<R[]>
  /** All or nothing, in order. */
  batch<P extends Params, R extends Row>(statement: Statement<P, R>, list: readonly P[]): Promise<R[][]>
  /** What time it is for every deadline in it, as far as is known without asking. */
  readonly nowMs: number
  /** Absent where there is one connection and no pool. */
  readonly pool?: PoolState | undefined
  close(): Promise<void>
}

/** A clock in milliseconds. Only tests pass one: otherwise the database's own rules, because replicas' clocks differ. */
export type Clock = () => number

/** A key was there already. The table's name says what that means. */
export class DuplicateKey extends Error {
  readonly table: string

  constructor(table: string, cause: unknown) {
    super(`A row with this key is already in ${table}.`, { cause })
    this.name = 'DuplicateKey'
    this.table = table
  }
}

/**
 * Adds a row whose key is new each time. None comes back also where it is there already: then it is this one, whose adding
 * was unclear, and the caller looks.
 */
export async function addOnce<P extends Params, R extends Row>(
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
