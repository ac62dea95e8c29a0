import { query } from '../engine/statement.ts'

/** Claims a step for this owner, or stores one that is finished already. Returns nothing if the row existed before. */
export const claimStep = query<
  { tenant: string; call_id: string; name: string; owner: string; outcome: string | null; keep: number },
  { name: string }
>(
  'claim_step',
  `insert into steps (tenant, call_id, name, owner, begun_at, expires_at, outcome)
   values (:tenant, :call_id, :name, :owner, :now, :now + cast(:keep as bigint), cast(:outcome as text))
   on conflict (tenant, call_id, name) do nothing returning name`,
)
