import { query } from '../engine/statement.ts'

type BindParams = { tenant: string; id: string; server: string; principal: string }
export type BoundRow = { public_key: string; ask_id: string | null; left_ms: number }

/**
 * Assigns a page to its person, once. `server` in the where clause prevents a server from sending people to another server's
 * page; `principal is null or principal = :principal` prevents a page from being assigned to a second person.
 */
export const bindPage = query<BindParams, BoundRow>(
  'bind_secret_page',
  `update secret_pages set principal = :principal
   where tenant = :tenant and id = :id and server = :server and expires_at > :now
     and (principal is null or principal = :principal)
   returning public_key, ask_id, decide_by - :now as left_ms`,
)

/** Links a page to the ask that it answers, once. */
export const linkPage = query<{ tenant: string; id: string; ask_id: string }, { ask_id: string }>(
  'link_secret_page',
  `update secret_pages set ask_id = :ask_id
   where tenant = :tenant and id = :id and principal is not null and ask_id is null
   returning ask_id`,
)
