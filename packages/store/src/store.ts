// The store: one object with everything that Assent stores, on either engine.
//
// Only this file and open-postgres.ts know which engine is used.

import type { CompilePattern, KeyRing, WithdrawReason } from '@assent/core'
import { Asks } from './asks/asks.ts'
import type { AuditContents } from './asks/audit-body.ts'
import { Inbox } from './asks/inbox.ts'
import { Signatures, type Unverified } from './asks/signatures.ts'
import { StoredAnswers } from './asks/stored-answer.ts'
import { Audit } from './audit/audit.ts'
import { Calls } from './calls/calls.ts'
import { Changes } from './changes/changes.ts'
import { ClientSessions } from './client-sessions/client-sessions.ts'
import { Deferred } from './deferred/deferred.ts'
import { Definitions } from './definitions/definitions.ts'
import type { Clock, Engine, PoolState } from './engine/engine.ts'
import { MeasuredEngine, type MeasuredStep } from './engine/measured.ts'
import { migrateSqlite } from './engine/migrate-sqlite.ts'
import { misconfigured } from './engine/misconfigured.ts'
import { openDatabase, SqliteEngine } from './engine/sqlite.ts'
import { Grants } from './grants/grants.ts'
import { AuditLog, type Integrated } from './log/audit-log.ts'
import { Sequencer } from './log/sequencer.ts'
import { Notifier } from './notify/notifier.ts'
import type { SignalCounts, Signals, Transport } from './notify/signals.ts'
import { SqliteSignals } from './notify/sqlite-signals.ts'
import { Outbox } from './outbox/outbox.ts'
import { Passkeys } from './passkeys/passkeys.ts'
import { RecordCheck } from './record-check/record-check.ts'
import { RecordedCalls } from './recorded-calls/recorded-calls.ts'
import { Replicas } from './replicas/replicas.ts'
import { Retention } from './retention/retention.ts'
import { Rounds } from './rounds/rounds.ts'
import { Secrets } from './secrets/secrets.ts'
import { SignIns } from './sign-ins/sign-ins.ts'
import { Steps } from './steps/steps.ts'
import { abandonLostCalls, abandonOwnCall, type CallKey, type SweepResult, sweep } from './sweep.ts'

export interface StoreOptions {
  /**
   * Signs every ask, vote and grant that is stored, and verifies them before anything is released. Everything that opens
   * this database needs the same ring.
   */
  readonly keys: KeyRing
  /** Called once per process for each ask or grant whose stored row does not match its signatures. */
  readonly onUnverified?: (found: Unverified) => void
  /** Whether the audit log contains questions and answers, or only their digests. */
  readonly auditContents?: AuditContents
  /** How often to poll for asks that other processes ended, in case a signal was lost. */
  readonly pollMs?: number
  /** Receives errors of background work; waiting continues by polling. */
  readonly onError?: (error: unknown) => void
  /** Called when entries were added to the audit log by this process. */
  readonly onIntegrated?: (integrated: Integrated) => void
  /** Called once for each transaction of the database that has written and stays open for more than ten seconds. */
  readonly onLongTransaction?: (transaction: string) => void
  /** Called for each step on the database, with its time. */
  readonly onStep?: (step: MeasuredStep) => void
  /** Checks the patterns of forms. Without it, every answer to a field with a pattern is rejected. */
  readonly patterns?: CompilePattern
  /** Only for tests. Default: the database's clock. */
  readonly clock?: Clock
}

export interface SqliteStoreOptions extends StoreOptions {
  /** How long to wait for the lock of another process. */
  readonly busyTimeoutMs?: number
  /** How often to check whether another process has written. */
  readonly fileCheckMs?: number
}

export type StoreSettings = Required<
  Pick<
    StoreOptions,
    'auditContents' | 'pollMs' | 'onError' | 'keys' | 'onUnverified' | 'onStep' | 'onIntegrated' | 'onLongTransaction'
  >
> & {
  readonly patterns: CompilePattern | undefined
}

export interface Notifications extends Readonly<SignalCounts> {
  readonly transport: Transport
  /** Ends of asks that the poll found because no signal arrived. */
  readonly late: number
}

export class Store {
  readonly asks: Asks
  readonly inbox: Inbox
  readonly changes: Changes
  readonly calls: Calls
  readonly deferred: Deferred
  readonly sessions: ClientSessions
  readonly rounds: Rounds
  readonly replicas: Replicas
  readonly grants: Grants
  readonly secrets: Secrets
  readonly steps: Steps
  readonly signIns: SignIns
  readonly passkeys: Passkeys
  /** Messages to the approvers of asks. */
  readonly outbox: Outbox
  /** Definitions of tools that were called under a policy. */
  readonly definitions: Definitions
  readonly audit: Audit
  /** The record of calls, if the gateway writes one. */
  readonly recordedCalls: RecordedCalls
  /** Verifies the audit log, and compares asks and grants with it. */
  readonly record: RecordCheck
  /** Erases what is no longer needed. On PostgreSQL only the role that owns the tables may. */
  readonly retention: Retention
  /** Whether processes on several machines can share it. */
  readonly isShared: boolean
  /** Whether the connections lead through a connection pooler. */
  readonly isPooled: boolean
  readonly #engine: Engine
  readonly #notifier: Notifier
  readonly #signals: Signals
  readonly #log: AuditLog

  constructor(inner: Engine, signals: Signals, options: StoreSettings, isPooled = false) {
    const engine = new MeasuredEngine(inner, options.onStep)
    this.isPooled = isPooled
    this.isShared = signals.isNamed
    this.#signals = signals
    this.#engine = engine
    this.#notifier = new Notifier(engine, signals, options)
    this.#log = new AuditLog(engine, options)
    this.audit = new Audit(engine, this.#log)
    this.recordedCalls = new RecordedCalls(engine)
    const answers = new StoredAnswers(options.keys, () => engine.nowMs)
    this.record = new RecordCheck(engine, this.audit, options.keys, answers)
    const signatures = new Signatures({ ...options, answers }, this.audit, this.#notifier)
    this.passkeys = new Passkeys(engine, this.audit, options.keys)
    this.asks = new Asks(
      engine,
      this.audit,
      this.#notifier,
      options.auditContents,
      signatures,
      answers,
      options.patterns,
      this.passkeys,
    )
    this.inbox = new Inbox(engine, this.asks)
    this.changes = new Changes(engine, this.#notifier)
    this.calls = new Calls(engine)
    this.deferred = new Deferred(engine)
    this.sessions = new ClientSessions(engine)
    this.rounds = new Rounds(engine)
    this.replicas = new Replicas(engine)
    this.grants = new Grants(engine, this.audit, this.asks, signatures)
    this.secrets = new Secrets(engine, this.asks, this.audit)
    this.steps = new Steps(engine)
    this.signIns = new SignIns(engine, this.#notifier)
    this.outbox = new Outbox(engine)
    this.retention = new Retention(engine, this.audit, this.recordedCalls)
    this.definitions = new Definitions(engine, this.audit, options.keys)
  }

  /** Call it regularly, from any number of processes. Only the size of the database depends on it. */
  async sweep(): Promise<SweepResult> {
    return sweep(this.#engine, this.asks)
  }

  /**
   * Ends the calls of dead replicas. Only for a replica that renewed its own lease without a gap for a full lease period:
   * otherwise the store may have been unavailable for all replicas, and none of them is dead.
   */
  async abandonLostCalls(): Promise<readonly CallKey[]> {
    return abandonLostCalls(this.#engine, this.asks, this.audit)
  }

  /** Ends a call that its owner does not hold any more and that has no outcome. */
  async abandonCall(call: CallKey & { readonly owner: string; readonly reason: WithdrawReason }): Promise<void> {
    await abandonOwnCall(this.#engine, this.asks, this.audit, call)
  }

  /**
   * Adds the audit entries of these tenants to their logs until it is stopped. Every process that serves the store runs one; the
   * result is the same with any number of them.
   */
  startSequencer(tenants: readonly string[], onError: (error: unknown) => void): Sequencer {
    return new Sequencer(this.#log, { tenants, onError })
  }

  /** How long the oldest transaction of the database that has written is open, as far as a sequencer here observed it. */
  get oldestTransactionMs(): number {
    return this.#log.oldestTransactionMs
  }

  /**
   * The time that deadlines use: the database's time at its last sample, plus the time elapsed since. This machine's clock may
   * differ, and may be changed while the process runs.
   */
  nowMs(): number {
    return this.#engine.nowMs
  }

  /** How this process is notified of changes by others, with counters. Every transport is backed by the slow poll. */
  get notifications(): Notifications {
    const { transport, counts } = this.#signals
    return { transport, ...counts, late: this.#notifier.late }
  }

  /** The connections to the database. Undefined if there is no pool. */
  get pool(): PoolState | undefined {
    return this.#engine.pool
  }

  /** The number of keys that this process waits for. */
  get waiting(): number {
    return this.#notifier.waiting
  }

  async close(): Promise<void> {
    this.asks.close()
    await this.#notifier.close()
    await this.#engine.close()
  }
}

/** Opens a store in one file, which other processes may open too, or in memory (`:memory:`) for tests. */
export async function openSqlite(path: string, options: SqliteStoreOptions): Promise<Store> {
  requireKeyRing(options)
  const { busyTimeoutMs = 10_000, fileCheckMs = 25, clock } = options
  const database = openDatabase({ path, busyTimeoutMs })
  try {
    migrateSqlite(database)
  } catch (error) {
    database.close()
    throw error
  }
  const shared = withDefaults(options)
  const engine = new SqliteEngine(database, clock)
  const signals = new SqliteSignals(() => engine.dataVersion(), fileCheckMs, shared.onError)
  return new Store(engine, signals, shared)
}

/** Before the database is opened. Code without types easily passes no options, or the list of keys instead of the ring. */
export function requireKeyRing(options: StoreOptions | undefined): void {
  if (options?.keys?.sealing !== undefined) return
  throw misconfigured(
    'A store needs `keys`: a key ring, as createKeyRing([{ id, secret }]) of @assent/core makes it from 32 random bytes.',
  )
}

export function withDefaults(options: StoreOptions): StoreSettings {
  const { keys, auditContents = 'digest', pollMs = 2_000 } = options
  const { onError = () => undefined, onUnverified = () => undefined, onStep = () => undefined } = options
  const { onIntegrated = () => undefined, onLongTransaction = () => undefined, patterns } = options
  const reports = { onError, onUnverified, onStep, onIntegrated, onLongTransaction }
  return { keys, auditContents, pollMs, ...reports, patterns }
}
