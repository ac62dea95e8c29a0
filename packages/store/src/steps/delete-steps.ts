import { backgroundQuery } from '../engine/statement.ts'

/** The states of a call expire before its steps, so these are never read again. */
export const deleteExpiredSteps = backgroundQuery<{ margin: number }, { name: string }>(
  'delete_expired_steps',
  `delete from steps where expires_at < :now - cast(:margin as bigint) returning name`,
)
