import { query } from '../engine/statement.ts'

type BindParams = { tenant: string; id: string; server: string; principal: string }
export type BoundRow = { public_key: string; ask_id: string | null; left_ms: number }

/**
 * Gives a page its person, once. `server` in the where clause is what keeps a server from sending people to another
 * server's page, and `principal is null or principal = :principal` what keeps a page from a second person.
 */
export const bindPage = query<BindParams, BoundRow>(
  'bind_secret_page',
  `update secret_pages set principal = :principal
   where tenant = :tenant and id = :id and server = :server and expires_at > :now
     and (principal is null or principal = :principal)
   returning public_key, ask_id, decide_by - :now as left_ms`,
)

/** Gives a page the ask that it answers, once. */
export const linkPage = query<{ tenant: string; id: string; ask_id: string }, { ask_id: string }>(
  'link_secret_page',
  `update secret_pages set ask_id = :ask_id
   where tenant = :tenant and id = :id and principal is not null and ask_id is null
   returning ask_id`,
)
