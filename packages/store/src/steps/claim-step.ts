import { query } from '../engine/statement.ts'

/** Takes a step upon this owner, or keeps one that is finished already. Returns nothing when the row was there before. */
export const claimStep = query<
  { tenant: string; call_id: string; name: string; owner: string; outcome: string | null; keep: number },
  { name: string }
>(
  'claim_step',
  `insert into steps (tenant, call_id, name, owner, begun_at, expires_at, outcome)
   values (:tenant, :call_id, :name, :owner, :now, :now + cast(:keep as bigint), cast(:outcome as text))
   on conflict (tenant, call_id, name) do nothing returning name`,
)
