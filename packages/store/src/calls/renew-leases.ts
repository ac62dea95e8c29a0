import { query } from '../engine/statement.ts'

/**
 * The heartbeat for all calls of a process. An expired lease is not renewed: the call may already have been reported as lost.
 */
export const renewLeases = query<{ owner: string; lease: number }, { tenant: string; id: string }>(
  'renew_leases',
  `update calls set lease_until = :now + cast(:lease as bigint)
   where owner = :owner and state = 'running' and lease_until > :now
   returning tenant, id`,
)

/** The next sweep then treats the call like that of a dead owner. */
export const endCallLease = query<{ id: string; owner: string }>(
  'end_call_lease',
  `update calls set lease_until = :now where id = :id and owner = :owner and state = 'running' and lease_until > :now`,
)
