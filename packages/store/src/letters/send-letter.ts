import { query } from '../engine/statement.ts'

/** Puts a letter into a box, unless the box, or what this principal has in it, is full. */
export const sendLetter = query<
  {
    box: string
    id: string
    tenant: string
    principal: string
    body: string
    keep: number
    at_most: number
    at_most_of_one: number
  },
  { id: string }
>(
  'send_letter',
  `insert into letters (box, id, tenant, principal, body, sent_at, expires_at)
   select :box, :id, :tenant, :principal, :body, :now, :now + cast(:keep as bigint)
   where (select count(*) from letters where box = :box) < cast(:at_most as bigint)
     and (select count(*) from letters where box = :box and tenant = :tenant and principal = :principal)
       < cast(:at_most_of_one as bigint)
   returning id`,
)
