import { backgroundQuery } from '../engine/statement.ts'

export type RecordedCallRow = {
  tenant: string
  id: string
  principal: string
  principal_groups: string | null
  agent: string | null
  client: string | null
  client_version: string | null
  address: string | null
  server: string
  method: string
  target: string
  digest: string
  arguments: string | null
  hidden: string | null
  effect: string | null
  policies: string | null
  ask_id: string | null
  outcome: string | null
  began_at: number
  ended_at: number | null
  recorded_at: number
}

export type ReadRecordedParams = {
  tenant: string
  after_at: number
  after_id: string
  settled: number
  at_most: number
}

/** A page of one tenant's calls as they were last written, oldest first, without those that were written just now. */
export const readRecordedCalls = backgroundQuery<ReadRecordedParams, RecordedCallRow>(
  'read_recorded_calls',
  `select tenant, id, principal, principal_groups, agent, client, client_version, address, server, method, target, digest,
     arguments, hidden, effect, policies, ask_id, outcome, began_at, ended_at, recorded_at
   from recorded_calls
   where tenant = :tenant and (recorded_at, id) > (cast(:after_at as bigint), :after_id)
     and recorded_at <= :now - cast(:settled as bigint)
   order by recorded_at, id limit cast(:at_most as bigint)`,
)

export const countRecordedCalls = backgroundQuery<{ tenant: string; kept: number }, { due: number }>(
  'count_recorded_calls',
  'select count(*) as due from recorded_calls where tenant = :tenant and recorded_at < :now - cast(:kept as bigint)',
)

export const deleteRecordedCalls = backgroundQuery<{ tenant: string; kept: number; at_most: number }, { id: string }>(
  'delete_recorded_calls',
  `delete from recorded_calls where tenant = :tenant and id in (
     select id from recorded_calls where tenant = :tenant and recorded_at < :now - cast(:kept as bigint)
     order by recorded_at, id limit cast(:at_most as bigint))
   returning id`,
)
