import { query } from '../engine/statement.ts'
import { isLeaseValid } from '../replicas/renew-lease.ts'

/** Stores a call with its owner, whose lease must be valid. */
export const beginCall = query<
  {
    tenant: string
    id: string
    principal: string
    server: string
    method: string
    request_digest: string
    owner: string
  },
  { id: string }
>(
  'begin_call',
  `insert into calls (tenant, id, principal, server, method, request_digest, owner, state, started_at)
   select :tenant, :id, :principal, :server, :method, :request_digest, :owner, 'running', :now
   where ${isLeaseValid(':owner')}
   returning id`,
)
