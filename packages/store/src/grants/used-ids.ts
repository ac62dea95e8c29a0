import { query, unhurriedQuery } from '../engine/statement.ts'

/** Marks a sealed state as used. Returns nothing when it was used before: then it is a replay. */
export const useId = query<{ tenant: string; id: string; expires_at: number }, { id: string }>(
  'use_id',
  `insert into used_ids (tenant, id, expires_at) values (:tenant, :id, cast(:expires_at as bigint))
   on conflict (tenant, id) do nothing returning id`,
)

/** Sealed states past their expiry are refused without looking here, so their ids need not be kept. */
export const forgetExpiredIds = unhurriedQuery<{ margin: number }, { id: string }>(
  'forget_expired_ids',
  `delete from used_ids where expires_at < :now - cast(:margin as bigint) returning id`,
)
