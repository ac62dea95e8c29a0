import type { Full } from '@assent/core'
import { type Part, query } from '../engine/statement.ts'

export type RoomParams = { per_caller: number; per_server: number; per_tenant: number }

const openNow = `from asks where tenant = :tenant and state = 'open' and decide_by > :now`

/**
 * What has no room for one more ask. From then on nobody else raises one for this tenant until the step is done.
 *
 * On PostgreSQL a statement sees what was there when it began, and it may have waited since; so a function of the migrations
 * takes a lock and only then looks. On SQLite a step has the file for itself.
 */
export const room: Part = {
  name: 'room',
  returns: ['no_room'],
  sql: `
    select full_for(:tenant, :principal, :server, :now, cast(:per_caller as bigint), cast(:per_server as bigint),
      cast(:per_tenant as bigint)) as no_room`,
  sqlite: `
    select case
      when (select count(*) ${openNow} and principal = :principal) >= cast(:per_caller as integer) then 'caller'
      when (select count(*) ${openNow} and server = :server) >= cast(:per_server as integer) then 'server'
      when (select count(*) ${openNow}) >= cast(:per_tenant as integer) then 'tenant'
    end as no_room`,
}

/** How it went: the time of the ask that was raised, or what had no room for it. Neither where nothing can be recorded. */
export const told: Part = {
  name: 'told',
  returns: ['raised_at', 'no_room'],
  sql: 'select c.raised_at, r.no_room from room r left join raised c on 1 = 1',
}

export type Told = { raised_at: number | null; no_room: Exclude<Full, 'total'> | null }

/** Open asks of all tenants, as far as it matters. */
export const countOpen = query<{ at_most: number }, { open: number }>(
  'count_open',
  `select count(*) as open from (
     select 1 from asks where state = 'open' and decide_by > :now limit cast(:at_most as bigint)) few`,
)
