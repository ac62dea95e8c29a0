import { query } from '../engine/statement.ts'

export type EndedRow = { tenant: string; id: string; ended_at: number; now: number }

/** Asks of all tenants that ended since a time. Because the poll reads these, a lost notification only causes a delay. */
export const findEndedSince = query<{ since: number; at_most: number }, EndedRow>(
  'find_ended_since',
  `select tenant, id, ended_at, :now as now from asks where ended_at >= cast(:since as bigint)
   order by ended_at limit cast(:at_most as bigint)`,
)
