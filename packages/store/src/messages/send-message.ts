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

/** Stores a message, unless the box, or this principal's share of it, is full. */
export const sendMessage = query<SendParams, { id: string }>(
  'send_message',
  `insert into messages (box, id, tenant, principal, body, sent_at, expires_at)
   select :box, :id, :tenant, :principal, :body, :now, :now + cast(:keep as bigint)
   where (select count(*) from messages where box = :box) < cast(:at_most as bigint)
     and (select count(*) from messages where box = :box and tenant = :tenant and principal = :principal)
       < cast(:at_most_of_one as bigint)
   returning id`,
)

/** Whether a message is in its box. After a broken connection this shows whether it was inserted or the box is full. */
export const findMessage = query<{ box: string; id: string }, { id: string }>(
  'find_message',
  'select id from messages where box = :box and id = :id',
)
