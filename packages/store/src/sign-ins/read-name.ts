import { query } from '../engine/statement.ts'

/** A person's name at their last sign-in. */
export const readName = query<{ tenant: string; principal: string }, { name: string }>(
  'read_name',
  `select name from sessions where tenant = :tenant and principal = :principal and name is not null
   order by begun_at desc limit 1`,
)
