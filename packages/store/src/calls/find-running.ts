import { query } from '../engine/statement.ts'

/** The running calls of one owner. */
export const findRunning = query<{ owner: string }, { tenant: string; id: string }>(
  'find_running',
  `select tenant, id from calls where owner = :owner and state = 'running'`,
)
