import { query } from '../engine/statement.ts'

export type SendParams = {
  box: string
  id: string
  tenant: string
  principal: string
  body: string
  keep: number
  at_most: number
  at_most_of_one: number
}

/** Puts a letter into a box, unless the box, or what this principal has in it, is full. */
export const sendLetter = query<SendParams, { id: string }>(
  'send_letter',
  `insert into letters (box, id, tenant, principal, body, sent_at, expires_at)
   select :box, :id, :tenant, :principal, :body, :now, :now + cast(:keep as bigint)
   where (select count(*) from letters where box = :box) < cast(:at_most as bigint)
     and (select count(*) from letters where box = :box and tenant = :tenant and principal = :principal)
       < cast(:at_most_of_one as bigint)
   returning id`,
)

/** Whether a letter is in its box: tells one whose sending was unclear from one that found no room. */
export const findLetter = query<{ box: string; id: string }, { id: string }>(
  'find_letter',
  'select id from letters where box = :box and id = :id',
)
