import { query } from '../engine/statement.ts'
import type { RoundKey } from './claim-round.ts'

/** Stores the outcome of a claimed round, once. Only the owner can. */
export const finishRound = query<RoundKey & { owner: string; outcome: string }, { id: string }>(
  'finish_round',
  `update rounds set outcome = :outcome, ended_at = :now
   where tenant = :tenant and id = :id and principal = :principal and owner = :owner and outcome is null
   returning id`,
)
