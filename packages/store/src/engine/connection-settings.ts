// The settings under which every statement on PostgreSQL runs, on a direct connection and through a connection pooler.
//
// Nothing is sent as a startup parameter: PgBouncer refuses those it does not know, or drops them silently.
// I1  On a direct connection the settings are applied once, and statements are prepared once.
// I2  Through a pooler every statement carries its settings, in its own transaction and in the same round trip, and
//     nothing is prepared: in transaction pooling the next transaction may run on another server connection.
// I3  Nothing is left behind on a server connection that a pooler shares between clients.

import pg from 'pg'

export interface SettingValues {
  readonly schema: string
  readonly statementTimeoutMs: number
  readonly lockTimeoutMs: number
  readonly idleInTransactionMs: number
}

export interface Prepared {
  readonly name: string
  readonly text: string
  readonly values: unknown[]
}

export class ConnectionSettings {
  readonly #values: SettingValues
  readonly #forTransaction: string
  readonly #pooled = new WeakSet<pg.ClientBase>()

  constructor(values: SettingValues) {
    this.#values = values
    this.#forTransaction = `select ${assignments(values, true).join(', ')}`
  }

  /** Applies the settings to a new connection, unless it leads through a pooler. */
  async apply(client: pg.ClientBase): Promise<void> {
    const all = [...assignments(this.#values, false), durableCommits]
    const set = all.map((one) => `case when direct then ${one} end`)
    const text = `select direct, ${set.join(', ')} from (${isDirect(client)}) as connection`
    const { rows } = await client.query<{ direct: boolean }>(text)
    if (rows[0]?.direct !== true) this.#pooled.add(client)
  }

  isPooled(client: pg.ClientBase): boolean {
    return this.#pooled.has(client)
  }

  /** Runs one statement as its own transaction. */
  async run<R extends pg.QueryResultRow>(client: pg.ClientBase, { name, text, values }: Prepared): Promise<R[]> {
    if (!this.isPooled(client)) return (await client.query<R>({ name, text, values })).rows
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult<R>>()
    const query = new QueryWithSettings(this.#forTransaction, { text, values, queryMode: 'extended' })
    query.callback = (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult<R>))
    client.query(query)
    return (await promise).rows
  }

  /** Runs several statements in one transaction. */
  async inTransaction<R extends pg.QueryResultRow>(client: pg.ClientBase, list: readonly Prepared[]): Promise<R[][]> {
    const isPooled = this.isPooled(client)
    await client.query(isPooled ? `begin; ${this.#forTransaction}` : 'begin')
    const results: R[][] = []
    for (const { name, text, values } of list) {
      results.push((await client.query<R>(isPooled ? { text, values } : { name, text, values })).rows)
    }
    await client.query('commit')
    return results
  }
}

/** Whether the connection leads to the database itself, not through a pooler. */
export async function isDirectConnection(client: pg.ClientBase): Promise<boolean> {
  return (await client.query<{ direct: boolean }>(isDirect(client))).rows[0]?.direct === true
}

/** A pooler gives its clients its own cancellation keys: the process id in them is not that of the server process. */
function isDirect(client: pg.ClientBase): string {
  // Not in the driver's types.
  const { processID } = client as unknown as { processID: number | null }
  return `select pg_backend_pid() = ${Number(processID ?? 0)} as direct`
}

function assignments(values: SettingValues, isLocal: boolean): string[] {
  const { schema, statementTimeoutMs, lockTimeoutMs, idleInTransactionMs } = values
  const set = (name: string, value: string | number) => `set_config('${name}', '${value}', ${isLocal})`
  return [
    // Temporary tables last: by default they come first, and through a pooler they may belong to another client.
    set('search_path', `${schema}, pg_temp`),
    set('statement_timeout', statementTimeoutMs),
    set('lock_timeout', lockTimeoutMs),
    set('idle_in_transaction_session_timeout', idleInTransactionMs),
    // Every statement has one good plan, an index scan; planning it for each execution would cost as much as running it.
    set('plan_cache_mode', 'force_generic_plan'),
  ]
}

/**
 * What we acknowledge must survive a crash, even if the database is set to acknowledge commits before they are written. Set once
 * per direct connection. Through a pooler the store checks the value when it opens, and refuses `off`.
 */
const durableCommits = `case when current_setting('synchronous_commit') = 'off'
  then set_config('synchronous_commit', 'on', false) end`

/** Members of the driver's query that are not in its types. */
interface DriverQuery extends pg.Submittable {
  callback: (error: Error | null, result: unknown) => void
  prepare(connection: DriverConnection): void
  handleDataRow(message: unknown): void
  handleCommandComplete(message: unknown, connection: DriverConnection): void
}

interface DriverConnection {
  parse(message: { name: string; text: string }): void
  bind(message: { portal: string; statement: string; values: unknown[] }): void
  execute(message: { portal: string }): void
}

type ExtendedQuery = pg.QueryConfig & { readonly queryMode: 'extended' }

const BaseQuery = pg.Query as unknown as new (config: ExtendedQuery) => DriverQuery

/**
 * A query that is sent after another one, without a Sync between them: PostgreSQL runs both in one transaction, and a
 * pooler sends both to the same server connection. The result of the first one is dropped.
 */
class QueryWithSettings extends BaseQuery {
  readonly #settings: string
  #isSet = false

  constructor(settings: string, config: ExtendedQuery) {
    super(config)
    this.#settings = settings
  }

  override prepare(connection: DriverConnection): void {
    connection.parse({ name: '', text: this.#settings })
    connection.bind({ portal: '', statement: '', values: [] })
    connection.execute({ portal: '' })
    super.prepare(connection)
  }

  override handleDataRow(message: unknown): void {
    if (this.#isSet) super.handleDataRow(message)
  }

  override handleCommandComplete(message: unknown, connection: DriverConnection): void {
    if (this.#isSet) super.handleCommandComplete(message, connection)
    else this.#isSet = true
  }
}
