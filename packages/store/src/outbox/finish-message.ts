import { backgroundQuery, query } from '../engine/statement.ts'

/** Only the process that holds this lease can change the row. */
export type MessageLeaseParams = { tenant: string; ask_id: string; owner: string; until: number }

const isLeased = `tenant = :tenant and ask_id = :ask_id and claimed_by = :owner and claimed_until = cast(:until as bigint)`

/** Stores what is due next, and ends the lease. */
export const rescheduleMessage = query<
  MessageLeaseParams & { stage: string; due_at: number; attempts: number; done: string | null },
  { ask_id: string }
>(
  'reschedule_message',
  `update outbox set stage = :stage, due_at = cast(:due_at as bigint), attempts = cast(:attempts as integer),
     done = cast(:done as text), claimed_by = null, claimed_until = null
   where ${isLeased} returning ask_id`,
)

/** No further message about this ask. */
export const removeMessage = query<MessageLeaseParams, { ask_id: string }>(
  'remove_message',
  `delete from outbox where ${isLeased} returning ask_id`,
)

/** Deletes rows of asks that ended long ago, such as those of a gateway that no longer sends messages. */
export const deleteOldMessages = backgroundQuery<{ kept: number }, { ask_id: string }>(
  'delete_old_messages',
  `delete from outbox where exists (
     select 1 from asks a where a.tenant = outbox.tenant and a.id = outbox.ask_id
       and a.ended_at < :now - cast(:kept as bigint))
   returning ask_id`,
)
