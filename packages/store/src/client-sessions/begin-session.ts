import { query } from '../engine/statement.ts'

/**
 * Stores a new session, unless its principal has reached the limit. Two that begin at the same moment may both pass: the limit
 * keeps the table small, and nothing else depends on it.
 */
export const beginClientSession = query<
  {
    tenant: string
    id: string
    principal: string
    owner: string
    revision: string
    client: string
    keep: number
    at_most: number
  },
  { id: string }
>(
  'begin_client_session',
  `insert into client_sessions (tenant, id, principal, owner, revision, client, began_at, expires_at)
   select :tenant, :id, :principal, :owner, :revision, :client, :now, :now + cast(:keep as bigint)
   where (
     select count(*) from client_sessions
     where tenant = :tenant and principal = :principal and expires_at > :now
   ) < cast(:at_most as bigint)
   returning id`,
)
