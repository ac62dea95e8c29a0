// What waits for the answer to an open ask: the replica whose request waits, or the client session that holds a handle.
//
// An ask that nothing waits for any more is withdrawn. The statement that withdraws it checks the condition again: since the ask
// was found, a replica may have renewed its lease or returned a state.

import { atomic, query } from '../engine/statement.ts'
import { isLeaseValid } from '../replicas/renew-lease.ts'
import { type Ended, type EndParams, ending } from './end-ask.ts'
import type { AskKey } from './find-asks.ts'

const isReplicaDead = `not ${isLeaseValid('asks.waits_at')}`
const isSessionGone = `not exists (
  select 1 from client_sessions where client_sessions.tenant = asks.tenant and client_sessions.id = asks.waits_in
    and client_sessions.expires_at > :now)`

export type WaitingKey = AskKey & { waits: string }

/** A state or a handle was returned: the ask now depends on the client session, if there is one, and on no replica. */
export const handOutAsk = query<AskKey & { session: string | null }, { id: string }>(
  'hand_out_ask',
  `update asks set waits_at = null, waits_in = cast(:session as text)
   where tenant = :tenant and id = :id and state = 'open'
   returning id`,
)

/** Open asks of all tenants whose replica is dead. */
export const findOfDeadReplicas = query<{ at_most: number }, WaitingKey>(
  'find_of_dead_replicas',
  `select tenant, id, waits_at as waits from asks
   where state = 'open' and waits_at is not null and decide_by > :now and ${isReplicaDead}
   limit cast(:at_most as bigint)`,
)

/** Open asks of all tenants whose session has ended. */
export const findOfGoneSessions = query<{ at_most: number }, WaitingKey>(
  'find_of_gone_sessions',
  `select tenant, id, waits_in as waits from asks
   where state = 'open' and waits_in is not null and decide_by > :now and ${isSessionGone}
   limit cast(:at_most as bigint)`,
)

/** Open asks that wait at this replica. */
export const findOfReplica = query<{ replica: string; at_most: number }, WaitingKey>(
  'find_of_replica',
  `select tenant, id, waits_at as waits from asks
   where state = 'open' and waits_at = :replica and decide_by > :now
   limit cast(:at_most as bigint)`,
)

export type WithdrawParams = EndParams & { waits: string }

export const withdrawOfDeadReplica = atomic<WithdrawParams, Ended>(
  'withdraw_of_dead_replica',
  ...ending(`and waits_at = cast(:waits as text) and ${isReplicaDead}`),
)

export const withdrawOfGoneSession = atomic<WithdrawParams, Ended>(
  'withdraw_of_gone_session',
  ...ending(`and waits_in = cast(:waits as text) and ${isSessionGone}`),
)

export const withdrawOfReplica = atomic<WithdrawParams, Ended>(
  'withdraw_of_replica',
  ...ending('and waits_at = cast(:waits as text)'),
)
