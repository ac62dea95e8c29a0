import { query } from '../engine/statement.ts'
import type { SessionKey } from './read-session.ts'

const isTheirs = `exists (
     select 1 from client_sessions
     where tenant = :tenant and id = :id and principal = :principal and expires_at > :now
   )`

/** Keeps a wish of a session, unless it has as many as one may have. One of the same name takes the place of the earlier. */
export const keepWish = query<SessionKey & { wish: string; request: string; at_most: number }, { wish: string }>(
  'keep_session_wish',
  `insert into session_wishes (tenant, session, wish, request, wished_at)
   select :tenant, :id, :wish, :request, :now
   where ${isTheirs} and (
     select count(*) from session_wishes where tenant = :tenant and session = :id and wish <> :wish
   ) < cast(:at_most as bigint)
   on conflict (tenant, session, wish) do update set request = excluded.request, wished_at = excluded.wished_at
   returning wish`,
)

export const takeBackWish = query<SessionKey & { wish: string }, { wish: string }>(
  'take_back_session_wish',
  `delete from session_wishes where tenant = :tenant and session = :id and wish = :wish and ${isTheirs} returning wish`,
)

export const readWishes = query<SessionKey, { request: string }>(
  'read_session_wishes',
  `select request from session_wishes where tenant = :tenant and session = :id and ${isTheirs} order by wished_at, wish`,
)

/** Forgets the wishes of sessions that have ended. */
export const forgetWishes = query<Record<never, never>, { wish: string }>(
  'forget_session_wishes',
  `delete from session_wishes where not exists (
     select 1 from client_sessions
     where client_sessions.tenant = session_wishes.tenant and client_sessions.id = session_wishes.session
   ) returning wish`,
)
