import { query } from '../engine/statement.ts'

export type RoomParams = { tenant: string; at_most: number; at_most_of_one: number }

const live = 's.ended_at is null and s.expires_at > :now'

/** Whether one more session fits, in all and for this person. Two that come at once may go one beyond; none is dropped. */
export function hasRoom(principal: string): string {
  return `(select count(*) from sessions s where s.tenant = :tenant and ${live}) < cast(:at_most as bigint)
    and (select count(*) from sessions s where s.tenant = :tenant and s.principal = ${principal} and ${live})
      < cast(:at_most_of_one as bigint)`
}

export type BeginParams = RoomParams & {
  hash: string
  begun_with: string
  principal: string
  member_of: string
  name: string | null
  keep: number
}

/** Begins the session of a person whom an issuer vouched for. The same login again begins nothing. */
export const beginSession = query<BeginParams, { hash: string }>(
  'begin_session',
  `insert into sessions (tenant, hash, begun_with, principal, member_of, name, begun_at, expires_at)
   select :tenant, :hash, :begun_with, cast(:principal as text), :member_of, cast(:name as text), :now,
     :now + cast(:keep as bigint)
   where ${hasRoom('cast(:principal as text)')}
   on conflict do nothing
   returning hash`,
)

/** Whether a login was used before: tells "replayed" from "too many sessions". */
export const findBegun = query<{ tenant: string; begun_with: string }, { hash: string }>(
  'find_begun_session',
  'select hash from sessions where tenant = :tenant and begun_with = :begun_with',
)
