import { backgroundQuery, query } from '../engine/statement.ts'

export type ClientSessionKey = { readonly tenant: string; readonly id: string; readonly principal: string }
export type ClientSessionRow = { revision: string; client: string; owner: string; moved_from: string | null }

/** Only the principal who began a session can read it; for anyone else, and after its expiry, it does not exist. */
export const readClientSession = query<ClientSessionKey, ClientSessionRow>(
  'read_client_session',
  `select revision, client, owner, moved_from from client_sessions
   where tenant = :tenant and id = :id and principal = :principal and expires_at > :now`,
)

/** Extends a session. One that has expired stays expired. */
export const extendClientSession = query<ClientSessionKey & { keep: number }, { owner: string }>(
  'extend_client_session',
  `update client_sessions set expires_at = :now + cast(:keep as bigint)
   where tenant = :tenant and id = :id and principal = :principal and expires_at > :now
   returning owner`,
)

/** Gives a session a new owner, unless it has another one than the caller has read. */
export const moveClientSession = query<ClientSessionKey & { owner: string; from: string }, { id: string }>(
  'move_client_session',
  `update client_sessions set owner = :owner, moved_from = :from
   where tenant = :tenant and id = :id and principal = :principal and expires_at > :now and owner = :from
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
