import type { OpenLimitName } from '@assent/core'
import { type Part, query } from '../engine/statement.ts'

export type OpenLimitParams = { per_caller: number; per_server: number; per_tenant: number }

const openAsks = `from asks where tenant = :tenant and state = 'open' and decide_by > :now`

/**
 * Which limit on open asks is reached, if any. The limits of callers and servers are exact. On PostgreSQL the limit of a tenant may
 * be exceeded by one ask from each other connection that is raising one at that moment.
 *
 * On PostgreSQL a statement sees the data of the time it began, and it may have waited since; so a function in the migrations
 * takes the locks of caller and server before it counts. On SQLite a step locks the whole file.
 */
export const limitCheck: Part = {
  name: 'limit_check',
  returns: ['limit_reached'],
  sql: `
    select full_for(:tenant, :principal, :server, :now, cast(:per_caller as bigint), cast(:per_server as bigint),
      cast(:per_tenant as bigint)) as limit_reached`,
  sqlite: `
    select case
      when (select count(*) ${openAsks} and principal = :principal) >= cast(:per_caller as integer) then 'caller'
      when (select count(*) ${openAsks} and server = :server) >= cast(:per_server as integer) then 'server'
      when (select count(*) ${openAsks}) >= cast(:per_tenant as integer) then 'tenant'
    end as limit_reached`,
}

/** When the ask was raised, or which limit is reached. */
export const raiseOutcome: Part = {
  name: 'raise_outcome',
  returns: ['raised_at', 'limit_reached'],
  sql: 'select c.raised_at, l.limit_reached from limit_check l left join raised c on 1 = 1',
}

export type RaiseOutcomeRow = { raised_at: number | null; limit_reached: Exclude<OpenLimitName, 'total'> | null }

/** Open asks of all tenants, counted up to a maximum. */
export const countOpen = query<{ at_most: number }, { open: number }>(
  'count_open',
  `select count(*) as open from (
     select 1 from asks where state = 'open' and decide_by > :now limit cast(:at_most as bigint)) few`,
)
