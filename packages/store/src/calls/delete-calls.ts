import { backgroundQuery } from '../engine/statement.ts'

/** Deletes calls that ended so long ago that their outcome can no longer be fetched. */
export const deleteCalls = backgroundQuery<{ kept: number }, { id: string }>(
  'delete_calls',
  'delete from calls where ended_at < :now - cast(:kept as bigint) returning id',
)
