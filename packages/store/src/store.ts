// The store as one thing: what it holds, opened on either engine.
//
// This and open-postgres.ts are the only places that know which engine is behind it.

import type { CompilePattern, KeyRing } from '@assent/core'
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
import type { Clock, Engine, PoolState } from './engine/engine.ts'
import { MeasuredEngine, type MeasuredStep } from './engine/measured.ts'
import { migrateSqlite } from './engine/migrate-sqlite.ts'
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
import type { SignalCounts, Signals, Transport } from './wake/signals.ts'
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
  /** Called for each step on the database, with its time. */
  readonly onStep?: (step: MeasuredStep) => void
  /** Checks the patterns of forms. Without it no answer fits a field with a pattern. */
  readonly patterns?: CompilePattern
  /** Only for tests. Otherwise the database's clock rules. */
  readonly clock?: Clock
}

export interface SqliteStoreOptions extends StoreOptions {
  /** How long to wait while another process writes. */
  readonly busyTimeoutMs?: number
  /** How often to look whether another process wrote. */
  readonly lookEveryMs?: number
}

export type Shared = Required<
  Pick<StoreOptions, 'auditContents' | 'pollMs' | 'onTrouble' | 'keys' | 'onUnverified' | 'onStep'>
> & {
  readonly patterns: CompilePattern | undefined
}

export interface Notifications extends Readonly<SignalCounts> {
  readonly transport: Transport
  /** Ends that were found by the poll because no signal told of them. */
  readonly late: number
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
  /** Whether a connection pooler is between this process and the database. */
  readonly isPooled: boolean
  readonly #engine: Engine
  readonly #watch: Watch
  readonly #signals: Signals

  constructor(inner: Engine, signals: Signals, options: Shared, isPooled = false) {
    const engine = new MeasuredEngine(inner, options.onStep)
    this.isPooled = isPooled
    this.isShared = signals.isNamed
    this.#signals = signals
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

  /** How this process learns what others did, and how that went. Behind each way is the slow poll. */
  get notifications(): Notifications {
    const { transport, counts } = this.#signals
    return { transport, ...counts, late: this.#watch.late }
  }

  /** The connections to the database. Undefined where there is no pool. */
  get pool(): PoolState | undefined {
    return this.#engine.pool
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

export function withDefaults(options: StoreOptions): Shared {
  const { keys, auditContents = 'digest', pollMs = 2_000 } = options
  const { onTrouble = () => undefined, onUnverified = () => undefined, onStep = () => undefined } = options
  return { keys, auditContents, pollMs, onTrouble, onUnverified, onStep, patterns: options.patterns }
}
