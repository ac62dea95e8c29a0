import { query } from '../engine/statement.ts'

export type FastAnswerParams = { tenant: string; id: string; action: string; after: number }

/** Only the first one, and only while the ask is open: it explains why the question was asked again. */
export const noteFastAnswer = query<FastAnswerParams, { id: string }>(
  'note_fast_answer',
  `update asks set fast_action = :action, fast_after = cast(:after as bigint)
   where tenant = :tenant and id = :id and state = 'open' and fast_action is null
   returning id`,
)
