// One atomic step against the database, written once for both engines wherever one text does for both.
//
// A step may have several parts that read each other's returned rows by name. PostgreSQL runs them as one statement
// (`with a as (…), b as (…) select … from a`): one round trip, one snapshot, one commit. SQLite has no such statement, so
// its engine runs the parts in order inside one transaction and hands the returned rows on. Parts therefore talk to each
// other through their names only, never by reading a table that another part has just written.
//
// Parameters are written `:name`. `:now` is always there: the database's clock, or the clock a test passed in.

export type Value = string | number | null
export type Params = Readonly<Record<string, Value>>
export type Row = Readonly<Record<string, Value>>

export interface Part {
  readonly name: string
  readonly sql: string
  /** The same for SQLite, where it takes other words. */
  readonly sqlite?: string
  /** The columns that later parts read from this one. */
  readonly returns?: readonly string[]
  /** Of these, the ones the caller reads; all, unless said. */
  readonly tells?: readonly string[]
}

export interface Step {
  /** Also the name of the prepared statement. */
  readonly name: string
  readonly parts: readonly Part[]
  /** Whose rows the caller gets. */
  readonly result: string
  /** Nobody waits for it, so it may take long. */
  readonly isUnhurried?: boolean
  /** On a connection that nothing else uses, and without a time limit of its own. */
  readonly isApart?: boolean
}

/** A step that knows what it takes and gives. */
export interface Statement<P extends Params, R extends Row> extends Step {
  /** Never present: carries the types. */
  readonly types?: (params: P) => R
}

/** A step of one part. */
export function query<P extends Params, R extends Row = Row>(name: string, sql: string): Statement<P, R> {
  return { name, parts: [{ name: 'only', sql }], result: 'only' }
}

/** A step of one part that nobody waits for: it may take long, and holds up nothing that is waited for. */
export function unhurriedQuery<P extends Params, R extends Row = Row>(name: string, sql: string): Statement<P, R> {
  return { ...query<P, R>(name, sql), isUnhurried: true }
}

/** A step of one part that may hang without holding up any other. */
export function apartQuery<P extends Params, R extends Row = Row>(name: string, sql: string): Statement<P, R> {
  return { ...query<P, R>(name, sql), isApart: true }
}

/** A step of several parts that happen together or not at all; the first part's rows are the result. */
export function together<P extends Params, R extends Row = Row>(
  name: string,
  first: Part,
  ...others: readonly Part[]
): Statement<P, R> {
  return { name, parts: [first, ...others], result: first.name }
}

export const parameter: RegExp = /:([a-z_]+)/g
