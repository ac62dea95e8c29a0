import { unhurriedQuery } from '../engine/statement.ts'

/** Forgets calls that ended so long ago that nobody can come back for what came of them. */
export const forgetCalls = unhurriedQuery<{ kept: number }, { id: string }>(
  'forget_calls',
  'delete from calls where ended_at < :now - cast(:kept as bigint) returning id',
)
