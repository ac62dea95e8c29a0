import { query } from '../engine/statement.ts'

/** Marks the outcome as delivered. It stays stored: the connection may break right after. */
export const deliverCall = query<{ tenant: string; id: string }, { id: string }>(
  'deliver_call',
  `update calls set delivered_at = :now
   where tenant = :tenant and id = :id and state = 'finished' and delivered_at is null
   returning id`,
)
