import { query } from '../engine/statement.ts'

export type PageRow = { ask_id: string | null; principal: string | null; released_at: number | null }

export const readPage = query<{ tenant: string; id: string }, PageRow>(
  'read_secret_page',
  `select ask_id, principal, released_at from secret_pages
   where tenant = :tenant and id = :id and expires_at > :now`,
)
