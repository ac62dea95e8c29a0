// The public API of the store, grouped by task. test/surface.test.ts fails if this list changes without notice.

// open a store
export { openPostgres, type PostgresStoreOptions } from './open-postgres.ts'
export { type Notifications, openSqlite, type SqliteStoreOptions, type Store, type StoreOptions } from './store.ts'
export type { Transport } from './notify/signals.ts'

// prepare a database
export { grantsFor } from './engine/rights.ts'
export type { MigrationResult } from './engine/schema.ts'
export { type MigrateOptions, migratePostgres } from './open-postgres.ts'

// examine a database before it is opened
export { type DatabaseReport, examinePostgres, examineSqlite } from './engine/examine.ts'

// ask and answer
export type { AnswerRequest, AnswerResult, EndResult } from './asks/answer-request.ts'
export type { Asks } from './asks/asks.ts'
export type { AuditContents } from './asks/audit-body.ts'
export type { AskStatistics, AskStatisticsQuery, EndedAsk, Inbox, InboxPage, InboxQuery } from './asks/inbox.ts'
export type { Unverified } from './asks/signatures.ts'

// follow changes
export type { AskMove, Change, ChangeListener, Changes, ChangesRead } from './changes/changes.ts'
export type { Waiter } from './notify/waiters.ts'

// send messages about asks
export type { Definitions, StoredDefinition, ToolName } from './definitions/definitions.ts'
export type { DueMessage, MessageClaim, MessageStage, NextMessage, Outbox } from './outbox/outbox.ts'

// use an approval once
export type { Grant, Grants, GrantUse } from './grants/grants.ts'

// hold a call
export type { Call, CallDraft, Calls } from './calls/calls.ts'
export type { Deferred, DeferredCall, DeferredState } from './deferred/deferred.ts'
export type { RoundKey } from './rounds/claim-round.ts'
export type { Rounds, RoundState } from './rounds/rounds.ts'

// hand over a secret
export type { HandOverRequest } from './asks/answer-request.ts'
export type { BoundPage, CollectedSecret, PageDraft, PageKey, Secrets } from './secrets/secrets.ts'

// run several replicas
export type { ClientSessionRecord, ClientSessions, StoredClientSession } from './client-sessions/client-sessions.ts'
export type { ClientSessionKey } from './client-sessions/read-session.ts'
export type { LiveReplica, Replicas } from './replicas/replicas.ts'

// run a step once per call
export type { StepClaim, StepKey, Steps } from './steps/steps.ts'

// sign in to the inbox
export type {
  InboxSession,
  IssuerLogin,
  LinkRedemption,
  NewSession,
  SessionBrowser,
  SignInLink,
  SignInResult,
  SignIns,
} from './sign-ins/sign-ins.ts'

// prove that a person is present
export type {
  NewPasskey,
  Passkey,
  PasskeyOwner,
  PasskeyRemoval,
  Passkeys,
  PresenceNotice,
  SignedResponse,
  UsedState,
  VerifiedKey,
} from './passkeys/passkeys.ts'
export type { PresenceProblem, PresenceResponse } from './asks/answer-request.ts'

// prove what happened
export type { Audit, AuditNote, AuditVerdict, OlderCheckpoint } from './audit/audit.ts'
export type { Integrated, LogHead } from './log/audit-log.ts'
export type { Sequencer } from './log/sequencer.ts'
export type { Comparison, RecordCheck, RecordProblem, RecordVerdict } from './record-check/record-check.ts'

// record calls
export type {
  CallOutcome,
  RecordedCall,
  RecordedCalls,
  RecordedPosition,
  StoredRecordedCall,
} from './recorded-calls/recorded-calls.ts'

// erase what is no longer needed
export type { PersonErased, Retained, Retention, RetentionPeriods } from './retention/retention.ts'

// measure
export type { PoolState } from './engine/engine.ts'
export type { MeasuredStep, StepKind } from './engine/measured.ts'

// clock, cleanup
export type { Clock } from './engine/engine.ts'
export type { SweepResult } from './sweep.ts'
