import { query } from '../engine/statement.ts'

/** Neither needs a margin for skewed clocks: only the database's judges them. */
export const forgetLinks = query<Record<never, never>, { hash: string }>(
  'forget_sign_in_links',
  'delete from sign_in_links where expires_at <= :now returning hash',
)

export const forgetSessions = query<Record<never, never>, { hash: string }>(
  'forget_sessions',
  'delete from sessions where expires_at <= :now returning hash',
)
