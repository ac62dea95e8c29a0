import { query, type Statement } from '../engine/statement.ts'

export type SessionRow = {
  principal: string
  member_of: string
  name: string | null
  begun_at: number
  expires_at: number
  public_key: string | null
  listener_secret: string | null
  port: number | null
}

/** Checked at every read: an ended or expired session is invalid, even before it is swept. */
export const readSession = query<{ tenant: string; hash: string }, SessionRow>(
  'read_session',
  `select principal, member_of, name, begun_at, expires_at, public_key, listener_secret, port
   from sessions where tenant = :tenant and hash = :hash and ended_at is null and expires_at > :now`,
)

/** Ends it for every process at once. The row stays until it expires, so that its link or login stays used. */
export const endSession = query<{ tenant: string; hash: string }, { hash: string }>(
  'end_session',
  'update sessions set ended_at = :now where tenant = :tenant and hash = :hash and ended_at is null returning hash',
)

/** Ends all sessions that signed in at a port. */
export const endSessionsAt = query<{ tenant: string; port: number }, { hash: string }>(
  'end_sessions_at',
  'update sessions set ended_at = :now where tenant = :tenant and port = :port and ended_at is null returning hash',
)

/** Those of these sessions that are valid. No request waits for it. */
export const findSessions: Statement<{ tenant: string; hashes: string }, { hash: string }> = {
  name: 'find_sessions',
  parts: [
    {
      name: 'only',
      sql: `select hash from sessions where tenant = :tenant and ended_at is null and expires_at > :now
        and hash in (select jsonb_array_elements_text(cast(:hashes as jsonb)))`,
      sqlite: `select hash from sessions where tenant = :tenant and ended_at is null and expires_at > :now
        and hash in (select value from json_each(:hashes))`,
    },
  ],
  result: 'only',
  isBackground: true,
}
