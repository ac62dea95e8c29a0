// The public surface of the store, grouped by what one came to do. test/surface.test.ts freezes this list.

// open it
export { openPostgres, type PostgresStoreOptions } from './open-postgres.ts'
export { type Notifications, openSqlite, type SqliteStoreOptions, type Store, type StoreOptions } from './store.ts'
export type { Transport } from './wake/signals.ts'

// prepare a database for it
export { grantsFor } from './engine/rights.ts'
export type { Migrated } from './engine/schema.ts'
export { type MigrateOptions, migratePostgres } from './open-postgres.ts'

// look at a database before it is opened
export { type Examined, examinePostgres, examineSqlite } from './engine/examine.ts'

// ask and answer
export type { Answered, AnswerRequest, Asks, Ended } from './asks/asks.ts'
export type { AuditContents } from './asks/audit-body.ts'
export type { Unverified } from './asks/signatures.ts'
export type { EndedAsk, Figures, FiguresQuery, Inbox, InboxPage, InboxQuery } from './asks/inbox.ts'

// follow what happens
export type { AskMove, Change, Changes, ChangesRead } from './changes/changes.ts'
export type { Bell } from './wake/bells.ts'

// use a yes once
export type { Grant, Grants, GrantUse } from './grants/grants.ts'

// hold a call
export type { Call, CallDraft, Calls } from './calls/calls.ts'
export type { Deferred, DeferredCall, DeferredState } from './deferred/deferred.ts'
export type { RoundName, RoundState, Rounds } from './rounds/rounds.ts'

// hand a secret over
export type { HandOverRequest } from './asks/asks.ts'
export type { BoundPage, Collected, PageDraft, PageKey, Secrets } from './secrets/secrets.ts'

// be one of several processes
export type { Box, Letter, LetterLimits, Letters } from './letters/letters.ts'
export type { Replicas } from './replicas/replicas.ts'
export type { SessionName, SessionRecord, Sessions } from './sessions/sessions.ts'

// do something once per call
export type { StepClaim, StepKey, Steps } from './steps/steps.ts'

// know who is signed in
export type {
  Begun,
  Link,
  NewSession,
  Redeeming,
  Session,
  SessionBrowser,
  SignIns,
  Vouched,
} from './sign-ins/sign-ins.ts'

// prove what happened
export type { Audit, AuditNote } from './audit/audit.ts'
export type { Comparison, RecordCheck, RecordProblem, RecordVerdict } from './audit/record-check.ts'

// measure it
export type { PoolState } from './engine/engine.ts'
export type { MeasuredStep, StepKind } from './engine/measured.ts'

// keep time, tidy up
export type { Clock } from './engine/engine.ts'
export type { Swept } from './sweep.ts'
