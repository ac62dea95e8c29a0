import { query } from '../engine/statement.ts'

/**
 * One beat for all calls of a process. A lease that ran out is not revived: others may already have been told that the
 * call is lost, and they are right from then on.
 */
export const renewLeases = query<{ owner: string; lease: number }, { tenant: string; id: string }>(
  'renew_leases',
  `update calls set lease_until = :now + cast(:lease as bigint)
   where owner = :owner and state = 'running' and lease_until > :now
   returning tenant, id`,
)

/** Whoever looks for calls without an owner finds it, and does with it what is done with those. */
export const endLease = query<{ id: string; owner: string }>(
  'end_lease',
  `update calls set lease_until = :now where id = :id and owner = :owner and state = 'running' and lease_until > :now`,
)
