import { query } from '../engine/statement.ts'

/** Stores a call with its owner, which must renew the lease before it ends. */
export const beginCall = query<{
  tenant: string
  id: string
  principal: string
  server: string
  method: string
  request_digest: string
  owner: string
  lease: number
}>(
  'begin_call',
  `insert into calls (tenant, id, principal, server, method, request_digest, owner, state, started_at, lease_until)
   values (:tenant, :id, :principal, :server, :method, :request_digest, :owner, 'running', :now,
     :now + cast(:lease as bigint))`,
)
