import { query } from '../engine/statement.ts'

export type SessionLimitParams = { tenant: string; at_most: number; at_most_of_one: number }

const live = 's.ended_at is null and s.expires_at > :now'

/** Whether the tenant and this person are below their limits of sessions. Two at the same moment may exceed a limit by one. */
export function isBelowLimits(principal: string): string {
  return `(select count(*) from sessions s where s.tenant = :tenant and ${live}) < cast(:at_most as bigint)
    and (select count(*) from sessions s where s.tenant = :tenant and s.principal = ${principal} and ${live})
      < cast(:at_most_of_one as bigint)`
}

export type StartParams = SessionLimitParams & {
  hash: string
  begun_with: string
  principal: string
  member_of: string
  name: string | null
  keep: number
}

/** Starts the session of a person who logged in at an issuer. The same login starts no second session. */
export const startSession = query<StartParams, { hash: string }>(
  'start_session',
  `insert into sessions (tenant, hash, begun_with, principal, member_of, name, begun_at, expires_at)
   select :tenant, :hash, :begun_with, cast(:principal as text), :member_of, cast(:name as text), :now,
     :now + cast(:keep as bigint)
   where ${isBelowLimits('cast(:principal as text)')}
   on conflict do nothing
   returning hash`,
)

/** Whether a login was used before: distinguishes a replay from too many sessions. */
export const findStarted = query<{ tenant: string; begun_with: string }, { hash: string }>(
  'find_begun_session',
  'select hash from sessions where tenant = :tenant and begun_with = :begun_with',
)
