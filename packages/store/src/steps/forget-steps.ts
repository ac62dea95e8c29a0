import { unhurriedQuery } from '../engine/statement.ts'

/** State that could bring a call back has expired before its steps do, so nobody asks for these again. */
export const forgetExpiredSteps = unhurriedQuery<{ margin: number }, { name: string }>(
  'forget_expired_steps',
  `delete from steps where expires_at < :now - cast(:margin as bigint) returning name`,
)
