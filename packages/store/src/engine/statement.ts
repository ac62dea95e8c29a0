// One atomic step against the database, written once for both engines where the same SQL works on both.
//
// A step may have several parts that read each other's returned rows by name. PostgreSQL runs them as one statement
// (`with a as (…), b as (…) select … from a`): one round trip, one snapshot, one commit. SQLite has no such statement, so
// its engine runs the parts in order inside one transaction and passes the returned rows on. Parts therefore read each other
// only by name, never through a table that another part has just written.
//
// Parameters are written `:name`. `:now` always exists: the database's clock, or the clock of a test.

export type Value = string | number | null
export type Params = Readonly<Record<string, Value>>
export type Row = Readonly<Record<string, Value>>

export interface Part {
  readonly name: string
  readonly sql: string
  /** The SQL for SQLite, if it differs. */
  readonly sqlite?: string
  /** The columns that later parts read from this one. */
  readonly returns?: readonly string[]
  /** The subset of `returns` that the caller reads. Default: all of them. */
  readonly selects?: readonly string[]
}

export interface Step {
  /** Also the name of the prepared statement. */
  readonly name: string
  readonly parts: readonly Part[]
  /** The part whose rows the caller gets. */
  readonly result: string
  /** Background work: no request waits for it, so it may take long. */
  readonly isBackground?: boolean
  /** Runs on a connection that nothing else uses, without the usual deadline. */
  readonly isIsolated?: boolean
}

/** A step with the types of its parameters and rows. */
export interface Statement<P extends Params, R extends Row> extends Step {
  /** Never set: it only carries the types. */
  readonly types?: (params: P) => R
}

/** A step of one part. */
export function query<P extends Params, R extends Row = Row>(name: string, sql: string): Statement<P, R> {
  return { name, parts: [{ name: 'only', sql }], result: 'only' }
}

/** Background work of one part: it may take long, and delays no request. */
export function backgroundQuery<P extends Params, R extends Row = Row>(name: string, sql: string): Statement<P, R> {
  return { ...query<P, R>(name, sql), isBackground: true }
}

/** A step of one part that may hang without delaying any other step. */
export function isolatedQuery<P extends Params, R extends Row = Row>(name: string, sql: string): Statement<P, R> {
  return { ...query<P, R>(name, sql), isIsolated: true }
}

/** A step of several parts, all or nothing; the rows of the first part are the result. */
export function atomic<P extends Params, R extends Row = Row>(
  name: string,
  first: Part,
  ...others: readonly Part[]
): Statement<P, R> {
  return { name, parts: [first, ...others], result: first.name }
}

/** A step whose first part locks a row that the others need; the rows of the second part are the result. */
export function atomicWithKey<P extends Params, R extends Row = Row>(
  name: string,
  key: Part,
  first: Part,
  ...others: readonly Part[]
): Statement<P, R> {
  return { name, parts: [key, first, ...others], result: first.name }
}

export const parameter: RegExp = /:([a-z_]+)/g
