import { query } from '../engine/statement.ts'

export type OpenParams = {
  tenant: string
  id: string
  server: string
  public_key: string
  decide_within: number
  keep_for: number
  per_server: number
  in_all: number
}

/**
 * Opens a page unless a limit is reached. Pages opened at the same moment do not see each other, so a limit may be exceeded by a
 * few; it exists to stop a server that opens pages without end.
 */
export const openPage = query<OpenParams, { decide_by: number }>(
  'open_secret_page',
  `insert into secret_pages (tenant, id, server, public_key, opened_at, decide_by, expires_at)
   select cast(:tenant as text), cast(:id as text), cast(:server as text), cast(:public_key as text), :now,
     :now + cast(:decide_within as bigint), :now + cast(:decide_within as bigint) + cast(:keep_for as bigint)
   where (
       select count(*) from secret_pages
       where tenant = :tenant and server = :server and expires_at > :now and released_at is null
     ) < cast(:per_server as bigint)
     and (select count(*) from secret_pages where expires_at > :now and released_at is null) < cast(:in_all as bigint)
   returning decide_by`,
)

/** The same page opened again, after a lost reply. */
export const reopenPage = query<
  { tenant: string; id: string; server: string; public_key: string },
  { decide_by: number }
>(
  'reopen_secret_page',
  `select decide_by from secret_pages
   where tenant = :tenant and id = :id and server = :server and public_key = :public_key and expires_at > :now`,
)
