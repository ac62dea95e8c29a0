// The store as one thing: what it holds, opened on either engine.
//
// This is the only place that knows which engine is behind it.

import { AssentError, type CompilePattern, isAssentError, type KeyRing } from '@assent/core'
import pg from 'pg'
import { Asks } from './asks/asks.ts'
import type { AuditContents } from './asks/audit-body.ts'
import { Inbox } from './asks/inbox.ts'
import { Signatures, type Unverified } from './asks/signatures.ts'
import { StoredAnswers } from './asks/stored-answer.ts'
import { Audit } from './audit/audit.ts'
import { RecordCheck } from './audit/record-check.ts'
import { Calls } from './calls/calls.ts'
import { Changes } from './changes/changes.ts'
import { Deferred } from './deferred/deferred.ts'
import type { Clock, Engine } from './engine/engine.ts'
import { migratePostgres } from './engine/migrate-postgres.ts'
import { migrateSqlite } from './engine/migrate-sqlite.ts'
import { explain, PostgresEngine, poolConfig } from './engine/postgres.ts'
import { openDatabase, SqliteEngine } from './engine/sqlite.ts'
import { Grants } from './grants/grants.ts'
import { Letters } from './letters/letters.ts'
import { Replicas } from './replicas/replicas.ts'
import { Rounds } from './rounds/rounds.ts'
import { Secrets } from './secrets/secrets.ts'
import { Sessions } from './sessions/sessions.ts'
import { SignIns } from './sign-ins/sign-ins.ts'
import { Steps } from './steps/steps.ts'
import { giveUpSilent, type Swept, sweep } from './sweep.ts'
import { NatsSignals } from './wake/nats-signals.ts'
import { PostgresSignals } from './wake/postgres-signals.ts'
import type { Signals } from './wake/signals.ts'
import { SqliteSignals } from './wake/sqlite-signals.ts'
import { Watch } from './wake/watch.ts'

export interface StoreOptions {
  /**
   * Signs every ask, vote and grant that is stored, and verifies them before anything is released. Everything that opens
   * this database needs the same ring.
   */
  readonly keys: KeyRing
  /** Called once per process for each ask or grant whose stored row does not match its signatures. */
  readonly onUnverified?: (found: Unverified) => void
  /** Whether the audit keeps what was asked and answered, or only digests of it. */
  readonly auditContents?: AuditContents
  /** How often to look for what other processes ended, in case no signal came. */
  readonly pollMs?: number
  /** Told about trouble in the background; waiting goes on by polling. */
  readonly onTrouble?: (error: unknown) => void
  /** Checks the patterns of forms. Without it no answer fits a field with a pattern. */
  readonly patterns?: CompilePattern
  /** Only for tests. Otherwise the database's clock rules. */
  readonly clock?: Clock
}

export interface PostgresStoreOptions extends StoreOptions {
  /** The schema that holds our tables: lower-case letters, digits and underscores. */
  readonly schema?: string
  readonly connections?: number
  readonly statementTimeoutMs?: number
  readonly connectTimeoutMs?: number
  /** The address of a NATS server that carries the signals between processes, in place of LISTEN/NOTIFY. */
  readonly wake?: string
}

export interface SqliteStoreOptions extends StoreOptions {
  /** How long to wait while another process writes. */
  readonly busyTimeoutMs?: number
  /** How often to look whether another process wrote. */
  readonly lookEveryMs?: number
}

type Shared = Required<Pick<StoreOptions, 'auditContents' | 'pollMs' | 'onTrouble' | 'keys' | 'onUnverified'>> & {
  readonly patterns: CompilePattern | undefined
}

export class Store {
  readonly asks: Asks
  readonly inbox: Inbox
  readonly changes: Changes
  readonly calls: Calls
  readonly deferred: Deferred
  readonly sessions: Sessions
  readonly letters: Letters
  readonly rounds: Rounds
  readonly replicas: Replicas
  readonly grants: Grants
  readonly secrets: Secrets
  readonly steps: Steps
  readonly signIns: SignIns
  readonly audit: Audit
  /** Verifies the audit log, and compares asks and grants with it. */
  readonly record: RecordCheck
  /** Whether processes on several machines may share it. */
  readonly isShared: boolean
  readonly #engine: Engine
  readonly #watch: Watch

  constructor(engine: Engine, signals: Signals, options: Shared) {
    this.isShared = signals.isNamed
    this.#engine = engine
    this.#watch = new Watch(engine, signals, options)
    this.audit = new Audit(engine)
    const answers = new StoredAnswers(options.keys, () => engine.nowMs)
    this.record = new RecordCheck(engine, this.audit, options.keys, answers)
    const signatures = new Signatures({ ...options, answers }, this.audit, this.#watch)
    this.asks = new Asks(engine, this.audit, this.#watch, options.auditContents, signatures, answers, options.patterns)
    this.inbox = new Inbox(engine, this.asks)
    this.changes = new Changes(engine, this.#watch)
    this.calls = new Calls(engine)
    this.deferred = new Deferred(engine)
    this.sessions = new Sessions(engine)
    this.letters = new Letters(engine, signals.isNamed ? this.#watch : undefined, options.pollMs)
    this.rounds = new Rounds(engine)
    this.replicas = new Replicas(engine)
    this.grants = new Grants(engine, this.audit, this.asks, signatures)
    this.secrets = new Secrets(engine, this.asks, this.audit)
    this.steps = new Steps(engine)
    this.signIns = new SignIns(engine)
  }

  /** Call it now and then, from any number of processes; nothing is wrong when nobody does. */
  async sweep(): Promise<Swept> {
    return sweep(this.#engine, this.asks, this.audit)
  }

  /** The part of it that people and callers wait for: calls whose owner fell silent. */
  async giveUpSilent(): Promise<Swept['lost']> {
    return giveUpSilent(this.#engine, this.asks, this.audit)
  }

  /**
   * What time it is for the deadlines kept here: the database's time, as it last told and as time has gone on since. The
   * clock of this machine may say something else, and may be changed while we run.
   */
  nowMs(): number {
    return this.#engine.nowMs
  }

  /** How many waits are under way in this process. */
  get waiting(): number {
    return this.#watch.listening
  }

  async close(): Promise<void> {
    await this.#watch.close()
    await this.#engine.close()
  }
}

/** Opens a store on PostgreSQL and brings its tables up to date. */
export async function openPostgres(url: string, options: PostgresStoreOptions): Promise<Store> {
  const { schema = 'assent', connections = 10, statementTimeoutMs = 1_500, connectTimeoutMs = 5_000, clock } = options
  if (!/^[a-z_][a-z0-9_]{0,47}$/.test(schema)) {
    throw new AssentError('misconfigured', 'A schema name is lower-case letters, digits and underscores.')
  }
  const { isHasty } = await migrateThere(url, schema, connectTimeoutMs)
  const settings = { url, schema, connections, statementTimeoutMs, connectTimeoutMs, isHasty }

  const shared = withDefaults(options)
  const { onTrouble } = shared
  const byDatabase =
    options.wake === undefined
      ? new PostgresSignals({ config: poolConfig(settings), channel: `assent_${schema}`, onTrouble })
      : undefined
  const signals = byDatabase ?? new NatsSignals({ url: options.wake ?? '', subject: subjectOf(url, schema), onTrouble })
  const engine = new PostgresEngine({
    ...settings,
    onTrouble,
    onAway: () => byDatabase?.doubt(),
    ...(clock === undefined ? {} : { clock }),
  })
  const store = new Store(engine, signals, shared)
  try {
    await engine.begin()
    return store
  } catch (error) {
    await store.close()
    throw error
  }
}

/** Opens a store in one file, which other processes may have open too. */
export async function openSqlite(path: string, options: SqliteStoreOptions): Promise<Store> {
  const { busyTimeoutMs = 10_000, lookEveryMs = 25, clock } = options
  const settings = { path, busyTimeoutMs, ...(clock === undefined ? {} : { clock }) }
  const database = openDatabase(settings)
  try {
    migrateSqlite(database)
  } finally {
    database.close()
  }
  const shared = withDefaults(options)
  return new Store(new SqliteEngine(settings), new SqliteSignals(path, lookEveryMs, shared.onTrouble), shared)
}

/** Several stores may share a NATS server. Who hears another's names can do nothing with them. */
function subjectOf(url: string, schema: string): string {
  const database = decodeURIComponent(new URL(url).pathname.slice(1)).replace(/[^A-Za-z0-9_-]/g, '_')
  return `assent.wake.${database === '' ? 'default' : database}.${schema}`
}

/** A connection of its own, without a statement timeout: it may have to wait for nineteen others. */
async function migrateThere(url: string, schema: string, connectTimeoutMs: number): Promise<{ isHasty: boolean }> {
  const client = new pg.Client({
    connectionString: url,
    // It holds a lock: should this machine vanish, the server must notice and let go of it.
    options: `-c search_path=${schema} -c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3`,
    connectionTimeoutMillis: connectTimeoutMs,
  })
  // A connection that breaks says so by an event too, which without a listener would end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    throw new AssentError('store_unavailable', `PostgreSQL cannot be reached: ${String(error)}`, { cause: error })
  }
  try {
    await migratePostgres(client, schema)
    const { rows } = await client.query<{ value: string }>(`select current_setting('synchronous_commit') as value`)
    return { isHasty: rows[0]?.value === 'off' }
  } catch (error) {
    throw isAssentError(error) ? error : explain(error)
  } finally {
    await client.end()
  }
}

function withDefaults(options: StoreOptions): Shared {
  const { keys, auditContents = 'digest', pollMs = 2_000 } = options
  const { onTrouble = () => undefined, onUnverified = () => undefined } = options
  return { keys, auditContents, pollMs, onTrouble, onUnverified, patterns: options.patterns }
}
