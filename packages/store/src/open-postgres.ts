// Opens a store on PostgreSQL: checks the schema, and chooses how processes notify each other.

import { compact } from '@assent/core'
import { misconfigured } from './engine/misconfigured.ts'
import { PostgresEngine, type PostgresOptions, poolConfig, settingsFor } from './engine/postgres.ts'
import {
  type DatabaseIdentity,
  identifyDatabase,
  type MigrationResult,
  migrateSchema,
  prepareSchema,
} from './engine/schema.ts'
import { NatsSignals } from './notify/nats-signals.ts'
import { PollSignals } from './notify/poll-signals.ts'
import { PostgresSignals } from './notify/postgres-signals.ts'
import type { Signals } from './notify/signals.ts'
import { requireKeyRing, Store, type StoreOptions, withDefaults } from './store.ts'

export interface PostgresStoreOptions extends StoreOptions {
  /** The schema that holds our tables: lower-case letters, digits and underscores. */
  readonly schema?: string
  readonly connections?: number
  readonly statementTimeoutMs?: number
  readonly connectTimeoutMs?: number
  /**
   * The transport of signals between processes: the address of a NATS server, or a direct address of the same database.
   * Default: LISTEN/NOTIFY on `url`; only the slow poll if `url` leads to a connection pooler.
   */
  readonly wake?: string
}

export interface MigrateOptions {
  readonly schema?: string
  readonly connectTimeoutMs?: number
  /** The role that gateways use: it gets the rights that they need, and no others. */
  readonly grantTo?: string
}

const defaults = { schema: 'assent', connections: 10, statementTimeoutMs: 1_500, connectTimeoutMs: 5_000 }

/** Applies missing migrations, as the role that owns the tables. Gateways that use another role then need no right to do so. */
export async function migratePostgres(url: string, options: MigrateOptions = {}): Promise<MigrationResult> {
  const { schema = defaults.schema, connectTimeoutMs = defaults.connectTimeoutMs, grantTo } = options
  return migrateSchema({ url, schema: validSchema(schema), connectTimeoutMs }, grantTo)
}

/** Opens a store on PostgreSQL. Applies missing migrations if this role may, and the connection is direct. */
export async function openPostgres(url: string, options: PostgresStoreOptions): Promise<Store> {
  requireKeyRing(options)
  const { schema = defaults.schema, connections = defaults.connections } = options
  const { statementTimeoutMs = defaults.statementTimeoutMs, connectTimeoutMs = defaults.connectTimeoutMs } = options
  const settings = { url, schema: validSchema(schema), connections, statementTimeoutMs, connectTimeoutMs }
  const database = await prepareSchema(settings)

  const shared = withDefaults(options)
  const { onError } = shared
  const signals = await signalsFor(settings, database, options.wake, onError)
  const engine = new PostgresEngine({
    ...settings,
    onError,
    onUnavailable: () => signals.suspect?.(),
    ...compact({ clock: options.clock }),
  })
  const store = new Store(engine, signals, shared, database.isPooled)
  try {
    await engine.start()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

type Settings = Omit<PostgresOptions, 'onError' | 'onUnavailable' | 'clock'>

async function signalsFor(
  settings: Settings,
  database: DatabaseIdentity,
  wake: string | undefined,
  onError: (error: unknown) => void,
): Promise<Signals> {
  const { url, schema } = settings
  if (wake === undefined && database.isPooled) return new PollSignals()
  if (wake !== undefined && !/^postgres(ql)?:/.test(wake)) {
    return new NatsSignals({ url: wake, subject: subjectOf(url, schema), onError })
  }
  if (wake !== undefined) await checkWake(wake, database, settings.connectTimeoutMs)
  const config = poolConfig({ ...settings, url: wake ?? url })
  return new PostgresSignals({ config, settings: settingsFor(settings), channel: `assent_${schema}`, onError })
}

/** Throws if signals sent there would reach no other replica. If it cannot be reached now, connecting is retried later. */
async function checkWake(wake: string, database: DatabaseIdentity, connectTimeoutMs: number): Promise<void> {
  const found = await identifyDatabase(wake, connectTimeoutMs)
  if (found?.isPooled === true) {
    throw misconfigured(
      'The address in `wake` leads to a connection pooler. LISTEN needs the database itself, or NATS.',
    )
  }
  if (found !== undefined && found.database !== database.database) {
    throw misconfigured('The address in `wake` leads to another database than `store`.')
  }
}

/** Several stores may share a NATS server. A store ignores keys of another store. */
function subjectOf(url: string, schema: string): string {
  const database = decodeURIComponent(new URL(url).pathname.slice(1)).replace(/[^A-Za-z0-9_-]/g, '_')
  return `assent.wake.${database === '' ? 'default' : database}.${schema}`
}

function validSchema(schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,47}$/.test(schema)) {
    throw misconfigured('Invalid schema name: use lower-case letters, digits and underscores.')
  }
  return schema
}
