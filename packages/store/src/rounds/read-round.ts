import { query, unhurriedQuery } from '../engine/statement.ts'
import type { RoundKey } from './claim-round.ts'

export type RoundRow = { owner: string; outcome: string | null; is_alive: number }

/** A round is read by the principal it runs for, with whether its owner's lease holds; for anyone else it does not exist. */
export const readRound = query<RoundKey, RoundRow>(
  'read_round',
  `select owner, outcome,
     case when exists (select 1 from replicas where replicas.id = rounds.owner and lease_until > :now) then 1 else 0 end
       as is_alive
   from rounds where tenant = :tenant and id = :id and principal = :principal`,
)

/** Deletes rounds whose states and handles have all expired. */
export const forgetRounds = unhurriedQuery<{ margin: number }, { id: string }>(
  'forget_rounds',
  'delete from rounds where expires_at < :now - cast(:margin as bigint) returning id',
)
