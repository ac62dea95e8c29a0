import { backgroundQuery, query } from '../engine/statement.ts'

/** Marks a sealed state as used. Returns nothing if it was used before: then it is a replay. */
export const useId = query<{ tenant: string; id: string; expires_at: number }, { id: string }>(
  'use_id',
  `insert into used_ids (tenant, id, expires_at) values (:tenant, :id, cast(:expires_at as bigint))
   on conflict (tenant, id) do nothing returning id`,
)

/** Expired states are refused without this table, so their ids need not be stored. */
export const deleteExpiredIds = backgroundQuery<{ margin: number }, { id: string }>(
  'delete_expired_ids',
  `delete from used_ids where expires_at < :now - cast(:margin as bigint) returning id`,
)
