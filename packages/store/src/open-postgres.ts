// Opens a store on PostgreSQL: checks the schema, and chooses how processes wake each other.

import { misconfigured } from './engine/misconfigured.ts'
import { PostgresEngine, type PostgresOptions, poolConfig, settingsFor } from './engine/postgres.ts'
import { lookAt, type Migrated, migrateSchema, prepareSchema, type SchemaPlace } from './engine/schema.ts'
import { Store, type StoreOptions, withDefaults } from './store.ts'
import { NatsSignals } from './wake/nats-signals.ts'
import { PollSignals } from './wake/poll-signals.ts'
import { PostgresSignals } from './wake/postgres-signals.ts'
import type { Signals } from './wake/signals.ts'

export interface PostgresStoreOptions extends StoreOptions {
  /** The schema that holds our tables: lower-case letters, digits and underscores. */
  readonly schema?: string
  readonly connections?: number
  readonly statementTimeoutMs?: number
  readonly connectTimeoutMs?: number
  /**
   * What carries the signals between processes: the address of a NATS server, or of the same database without a connection
   * pooler between. Unless given, LISTEN/NOTIFY on connections like all others; through a pooler, only the poll.
   */
  readonly wake?: string
}

export interface MigrateOptions {
  readonly schema?: string
  readonly connectTimeoutMs?: number
  /** A role that gateways use: it gets the rights that they need, and no others. */
  readonly grantTo?: string
}

const defaults = { schema: 'assent', connections: 10, statementTimeoutMs: 1_500, connectTimeoutMs: 5_000 }

/** Brings the tables up to date, as the role that owns them. Gateways that use another role then need no right to do so. */
export async function migratePostgres(url: string, options: MigrateOptions = {}): Promise<Migrated> {
  const { schema = defaults.schema, connectTimeoutMs = defaults.connectTimeoutMs, grantTo } = options
  return migrateSchema({ url, schema: checked(schema), connectTimeoutMs }, grantTo)
}

/** Opens a store on PostgreSQL. Brings its tables up to date, where this role may and no pooler is between. */
export async function openPostgres(url: string, options: PostgresStoreOptions): Promise<Store> {
  const { schema = defaults.schema, connections = defaults.connections } = options
  const { statementTimeoutMs = defaults.statementTimeoutMs, connectTimeoutMs = defaults.connectTimeoutMs } = options
  const settings = { url, schema: checked(schema), connections, statementTimeoutMs, connectTimeoutMs }
  const place = await prepareSchema(settings)

  const shared = withDefaults(options)
  const { onTrouble } = shared
  const signals = await signalsFor(settings, place, options.wake, onTrouble)
  const engine = new PostgresEngine({
    ...settings,
    onTrouble,
    onAway: () => signals.doubt?.(),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  })
  const store = new Store(engine, signals, shared, place.isPooled)
  try {
    await engine.begin()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

type Settings = Omit<PostgresOptions, 'onTrouble' | 'onAway' | 'clock'>

async function signalsFor(
  settings: Settings,
  place: SchemaPlace,
  wake: string | undefined,
  onTrouble: (error: unknown) => void,
): Promise<Signals> {
  const { url, schema } = settings
  if (wake === undefined && place.isPooled) return new PollSignals()
  if (wake !== undefined && !/^postgres(ql)?:/.test(wake)) {
    return new NatsSignals({ url: wake, subject: subjectOf(url, schema), onTrouble })
  }
  if (wake !== undefined) await checkWake(wake, place, settings.connectTimeoutMs)
  const config = poolConfig({ ...settings, url: wake ?? url })
  return new PostgresSignals({ config, settings: settingsFor(settings), channel: `assent_${schema}`, onTrouble })
}

/** Signals that arrive nowhere would only make everything slower. When it cannot be reached now, it is tried again later. */
async function checkWake(wake: string, place: SchemaPlace, connectTimeoutMs: number): Promise<void> {
  const found = await lookAt(wake, connectTimeoutMs)
  if (found?.isPooled === true) {
    throw misconfigured(
      'The address in `wake` leads to a connection pooler. LISTEN needs the database itself, or NATS.',
    )
  }
  if (found !== undefined && found.database !== place.database) {
    throw misconfigured('The address in `wake` leads to another database than `store`.')
  }
}

/** Several stores may share a NATS server. A store that receives another's names can do nothing with them. */
function subjectOf(url: string, schema: string): string {
  const database = decodeURIComponent(new URL(url).pathname.slice(1)).replace(/[^A-Za-z0-9_-]/g, '_')
  return `assent.wake.${database === '' ? 'default' : database}.${schema}`
}

function checked(schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,47}$/.test(schema)) {
    throw misconfigured('A schema name is lower-case letters, digits and underscores.')
  }
  return schema
}
