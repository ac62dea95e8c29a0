import { query, unhurriedQuery } from '../engine/statement.ts'

export type SessionKey = { tenant: string; id: string; principal: string }
export type SessionRow = { revision: string; client: string }

/** A session is read by the principal who began it; for anyone else, and after its time, it does not exist. */
export const readSession = query<SessionKey, SessionRow>(
  'read_client_session',
  `select revision, client from client_sessions
   where tenant = :tenant and id = :id and principal = :principal and expires_at > :now`,
)

/** Moves its end on. One that has ended is not revived. */
export const extendSession = query<SessionKey & { keep: number }, { id: string }>(
  'extend_client_session',
  `update client_sessions set expires_at = :now + cast(:keep as bigint)
   where tenant = :tenant and id = :id and principal = :principal and expires_at > :now
   returning id`,
)

export const endSession = query<SessionKey, { id: string }>(
  'end_client_session',
  'delete from client_sessions where tenant = :tenant and id = :id and principal = :principal returning id',
)

/** Forgets what nobody can use any more. */
export const forgetClientSessions = unhurriedQuery<{ margin: number }, { id: string }>(
  'forget_client_sessions',
  'delete from client_sessions where expires_at < :now - cast(:margin as bigint) returning id',
)
