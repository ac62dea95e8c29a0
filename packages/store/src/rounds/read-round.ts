import { backgroundQuery, query } from '../engine/statement.ts'
import type { RoundKey } from './claim-round.ts'

export type RoundRow = { owner: string; outcome: string | null; is_alive: number }

/** Includes whether the owner's lease is valid. Only the round's principal can read it; for anyone else it does not exist. */
export const readRound = query<RoundKey, RoundRow>(
  'read_round',
  `select owner, outcome,
     case when exists (select 1 from replicas where replicas.id = rounds.owner and lease_until > :now) then 1 else 0 end
       as is_alive
   from rounds where tenant = :tenant and id = :id and principal = :principal`,
)

/** Deletes rounds whose states and handles have all expired. */
export const deleteRounds = backgroundQuery<{ margin: number }, { id: string }>(
  'delete_rounds',
  'delete from rounds where expires_at < :now - cast(:margin as bigint) returning id',
)
