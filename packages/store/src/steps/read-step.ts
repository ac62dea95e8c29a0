import { query } from '../engine/statement.ts'

export const readStep = query<
  { tenant: string; call_id: string; name: string },
  { begun_at: number; outcome: string | null }
>('read_step', `select begun_at, outcome from steps where tenant = :tenant and call_id = :call_id and name = :name`)
