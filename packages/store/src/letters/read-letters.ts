import { query, unhurriedQuery } from '../engine/statement.ts'

export type LetterRow = { id: string; tenant: string; principal: string; body: string }

/** Whether there is anything to take: reading takes no lock, and a box is empty nearly always. */
export const lookIntoBox = query<{ box: string }, { id: string }>(
  'look_into_box',
  'select id from letters where box = :box limit 1',
)

/** Takes letters out of a box, in the order of their ids. What a process took and did not act on died with it. */
export const takeLetters = query<{ box: string; at_most: number }, LetterRow & { is_late: number }>(
  'take_letters',
  `delete from letters
   where box = :box and id in (select id from letters where box = :box order by id limit cast(:at_most as bigint))
   returning id, tenant, principal, body, case when expires_at > :now then 0 else 1 end as is_late`,
)

/** What was sent to all since a moment. It stays there for the others until its time is over. */
export const readNotices = query<
  { box: string; since: number; at_most: number },
  LetterRow & { sent_at: number; now: number }
>(
  'read_notices',
  `select id, tenant, principal, body, sent_at, :now as now from letters
   where box = :box and sent_at >= cast(:since as bigint) and expires_at > :now
   order by sent_at limit cast(:at_most as bigint)`,
)

/** Forgets what came too late for anyone. */
export const forgetLetters = unhurriedQuery<Record<string, never>, { id: string }>(
  'forget_letters',
  'delete from letters where expires_at <= :now returning id',
)
