import { query, unhurriedQuery } from '../engine/statement.ts'

export type LetterRow = { id: string; tenant: string; principal: string; body: string }

export type BoxRow = LetterRow & { is_late: number; expires_at: number; now: number }

/** Reads a box: it takes no lock, and a box is empty nearly always. */
export const lookIntoBox = query<{ box: string; at_most: number }, BoxRow>(
  'look_into_box',
  `select id, tenant, principal, body, case when expires_at > :now then 0 else 1 end as is_late, expires_at, :now as now
   from letters where box = :box order by id limit cast(:at_most as bigint)`,
)

/**
 * Takes letters out of a box: those that were read, and no others. A statement may arrive after its sender has given up on
 * it, and what came into the box meanwhile has not been read by anyone.
 *
 * @param ids of these, one after the other with spaces between; none is part of another
 */
export const takeLetters = query<{ box: string; last: string; ids: string }, { id: string }>(
  'take_letters',
  `delete from letters where box = :box and id <= :last and :ids like '%' || id || '%' returning id`,
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

/** How long the first letter of a box has waited to be read. */
export const waitsInBox = query<{ box: string }, { waited: number }>(
  'waits_in_box',
  'select :now - sent_at as waited from letters where box = :box order by id limit 1',
)

/** Forgets what came too late for anyone. */
export const forgetLetters = unhurriedQuery<Record<string, never>, { id: string }>(
  'forget_letters',
  'delete from letters where expires_at <= :now returning id',
)
