import { query } from '../engine/statement.ts'

/** `principal`: on whose behalf it runs; for anyone else it does not exist. */
export type RoundKey = { readonly tenant: string; readonly id: string; readonly principal: string }

/** Claims a round, once: the primary key is the lock. Returns no row if it is claimed already. */
export const claimRound = query<RoundKey & { owner: string; keep: number }, { id: string }>(
  'claim_round',
  `insert into rounds (tenant, id, principal, owner, claimed_at, expires_at)
   values (:tenant, :id, :principal, :owner, :now, :now + cast(:keep as bigint))
   on conflict (tenant, id) do nothing
   returning id`,
)

/** Releases a claim. Only the owner can, and only while no outcome is stored. */
export const releaseRound = query<RoundKey & { owner: string }, { id: string }>(
  'release_round',
  `delete from rounds
   where tenant = :tenant and id = :id and principal = :principal and owner = :owner and outcome is null
   returning id`,
)
