import { type Part, together } from '../engine/statement.ts'
import { type AnswerParams, answering, type Counted } from './answer-ask.ts'

export type HandOverParams = AnswerParams & { page: string; sealed: string }

const kept: Part = {
  name: 'kept',
  sql: `
    update secret_pages set sealed = :sealed, handed_at = :now from counted c
    where secret_pages.tenant = c.tenant and secret_pages.id = :page and secret_pages.ask_id = c.id`,
}

/**
 * Hands a secret over: the yes to an ask that nothing else can say yes to, and what is handed over with it.
 *
 * The ask's row is the lock, as for every answer. That the page is this person's, belongs to this ask and has not run out
 * is part of the same where clause, so neither of the two happens without the other.
 */
export const handOver = together<HandOverParams, Counted>(
  'hand_over',
  ...answering(`and exists (
    select 1 from secret_pages p
    where p.tenant = asks.tenant and p.id = :page and p.ask_id = asks.id and p.principal = :voter
      and p.sealed is null and p.released_at is null and p.expires_at > :now)`),
  kept,
)
