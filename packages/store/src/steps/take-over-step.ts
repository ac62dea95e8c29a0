import { query } from '../engine/statement.ts'

/** Makes this owner the owner of a step that has not finished, if no other owner took it over since it was read. */
export const takeOverStep = query<
  { tenant: string; call_id: string; name: string; owner: string; begun_at: number },
  { name: string }
>(
  'take_over_step',
  `update steps set owner = :owner, begun_at = :now
   where tenant = :tenant and call_id = :call_id and name = :name and begun_at = :begun_at and outcome is null
   returning name`,
)
