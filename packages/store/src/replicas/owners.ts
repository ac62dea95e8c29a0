import { query } from '../engine/statement.ts'
import { isLeaseValid } from './renew-lease.ts'

/** The distinct values of an indexed column: each step of the recursion reads one index entry, however many rows have the value. */
function distinct(table: string, column: string, condition: string): string {
  return `
    with recursive each_one (id) as (
      select min(${column}) from ${table} where ${condition}
      union all
      select (select min(${column}) from ${table} where ${condition} and ${column} > each_one.id)
      from each_one where each_one.id is not null)
    select id from each_one where id is not null`
}

export const eachOwnerOfCalls = distinct('calls', 'owner', `state = 'running'`)
const eachOwnerOfAsks = distinct('asks', 'waits_at', `state = 'open' and waits_at is not null`)

/** The replicas that own a running call or an open ask. */
export const findOwners = query<Record<string, never>, { id: string; is_alive: number }>(
  'find_owners',
  `select id, case when ${isLeaseValid('owners.id')} then 1 else 0 end as is_alive
   from (select id from (${eachOwnerOfCalls}) as of_calls union select id from (${eachOwnerOfAsks}) as of_asks) as owners
   order by id`,
)
