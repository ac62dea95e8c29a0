import { backgroundQuery, query } from '../engine/statement.ts'

export type MessageRow = { id: string; tenant: string; principal: string; body: string }

export type BoxRow = MessageRow & { is_late: number; expires_at: number; now: number }

/** Reads a box without a lock: a box is nearly always empty. */
export const lookIntoBox = query<{ box: string; at_most: number }, BoxRow>(
  'look_into_box',
  `select id, tenant, principal, body, case when expires_at > :now then 0 else 1 end as is_late, expires_at, :now as now
   from messages where box = :box order by id limit cast(:at_most as bigint)`,
)

/**
 * Deletes the messages that were read, and no others. The statement may run after its caller has timed out, when the box
 * contains messages that were not read.
 *
 * @param ids separated by spaces; no id is part of another
 */
export const takeMessages = query<{ box: string; last: string; ids: string }, { id: string }>(
  'take_messages',
  `delete from messages where box = :box and id <= :last and :ids like '%' || id || '%' returning id`,
)

/** Messages to all since a time. They stay for the other replicas until they expire. */
export const readNotices = query<
  { box: string; since: number; at_most: number },
  MessageRow & { sent_at: number; now: number }
>(
  'read_notices',
  `select id, tenant, principal, body, sent_at, :now as now from messages
   where box = :box and sent_at >= cast(:since as bigint) and expires_at > :now
   order by sent_at limit cast(:at_most as bigint)`,
)

/** How long the first message of a box has waited to be read. */
export const waitsInBox = query<{ box: string }, { waited: number }>(
  'waits_in_box',
  'select :now - sent_at as waited from messages where box = :box order by id limit 1',
)

/** Deletes expired messages. */
export const deleteMessages = backgroundQuery<Record<string, never>, { id: string }>(
  'delete_messages',
  'delete from messages where expires_at <= :now returning id',
)
