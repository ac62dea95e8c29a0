import { unhurriedQuery } from '../engine/statement.ts'

/** Neither needs a margin for skewed clocks: only the database's judges them. */
export const forgetLinks = unhurriedQuery<Record<never, never>, { hash: string }>(
  'forget_sign_in_links',
  'delete from sign_in_links where expires_at <= :now returning hash',
)

/** Where a session told what its person is called, it is kept for that a while longer: to others, asks say who decided. */
export const forgetSessions = unhurriedQuery<{ keep_names: number }, { hash: string }>(
  'forget_sessions',
  `delete from sessions
   where expires_at <= :now and (name is null or expires_at <= :now - cast(:keep_names as bigint)) returning hash`,
)
