import { backgroundQuery, query } from '../engine/statement.ts'

export type ClientSessionKey = { readonly tenant: string; readonly id: string; readonly principal: string }
export type ClientSessionRow = { revision: string; client: string }

/** Only the principal who began a session can read it; for anyone else, and after its expiry, it does not exist. */
export const readClientSession = query<ClientSessionKey, ClientSessionRow>(
  'read_client_session',
  `select revision, client from client_sessions
   where tenant = :tenant and id = :id and principal = :principal and expires_at > :now`,
)

/** Extends a session. One that has expired stays expired. */
export const extendClientSession = query<ClientSessionKey & { keep: number }, { id: string }>(
  'extend_client_session',
  `update client_sessions set expires_at = :now + cast(:keep as bigint)
   where tenant = :tenant and id = :id and principal = :principal and expires_at > :now
   returning id`,
)

export const endClientSession = query<ClientSessionKey, { id: string }>(
  'end_client_session',
  'delete from client_sessions where tenant = :tenant and id = :id and principal = :principal returning id',
)

/** Deletes expired sessions. */
export const deleteClientSessions = backgroundQuery<{ margin: number }, { id: string }>(
  'delete_client_sessions',
  'delete from client_sessions where expires_at < :now - cast(:margin as bigint) returning id',
)
