import { query } from '../engine/statement.ts'

export type CallRow = {
  tenant: string
  id: string
  principal: string
  server: string
  method: string
  request_digest: string
  owner: string
  state: 'running' | 'finished' | 'lost'
  started_at: number
  ended_at: number | null
  outcome: string | null
  delivered_at: number | null
}

/** Only the principal of a call can read it; for anyone else it does not exist. */
export const readCall = query<{ tenant: string; id: string; principal: string }, CallRow>(
  'read_call',
  `select tenant, id, principal, server, method, request_digest, owner, state, started_at, ended_at, outcome,
     delivered_at
   from calls where tenant = :tenant and id = :id and principal = :principal`,
)
