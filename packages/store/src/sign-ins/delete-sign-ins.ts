import { backgroundQuery } from '../engine/statement.ts'

/** No margin for clock differences: only the database's clock is used for links and sessions. */
export const deleteLinks = backgroundQuery<Record<never, never>, { hash: string }>(
  'delete_sign_in_links',
  'delete from sign_in_links where expires_at <= :now returning hash',
)

/** A session with a name is kept longer, because its person's name is shown on the asks that they decided. */
export const deleteSessions = backgroundQuery<{ keep_names: number }, { hash: string }>(
  'delete_sessions',
  `delete from sessions
   where expires_at <= :now and (name is null or expires_at <= :now - cast(:keep_names as bigint)) returning hash`,
)
