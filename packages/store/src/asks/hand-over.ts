import { atomic, atomicWithKey, type Part } from '../engine/statement.ts'
import { isKeySigned, type SignedParams } from '../passkeys/change-passkeys.ts'
import { type AnswerParams, answering, type Counted, signedByVoter } from './answer-ask.ts'

export type HandOverParams = AnswerParams & { page: string; sealed: string }

const stored: Part = {
  name: 'stored',
  sql: `
    update secret_pages set sealed = :sealed, handed_at = :now from counted c
    where secret_pages.tenant = c.tenant and secret_pages.id = :page and secret_pages.ask_id = c.id`,
}

const isPageOfVoter = `and exists (
    select 1 from secret_pages p
    where p.tenant = asks.tenant and p.id = :page and p.ask_id = asks.id and p.principal = :voter
      and p.sealed is null and p.released_at is null and p.expires_at > :now)`

/**
 * Hands over a secret: accepts the ask, which nothing else can do, and stores the ciphertext.
 *
 * The ask's row is the lock, as for every answer. The same where clause checks that the page belongs to this person and this ask
 * and has not expired, so neither happens without the other.
 */
export const handOver = atomic<HandOverParams, Counted>('hand_over', ...answering(isPageOfVoter), stored)

/** The same with the signature of a passkey. */
export const handOverWithPasskey = atomicWithKey<HandOverParams & SignedParams, Counted>(
  'hand_over_with_passkey',
  signedByVoter,
  ...answering(`${isPageOfVoter} and ${isKeySigned}`),
  stored,
)
