import { type RecordedParams, recorded } from '../audit/recorded.ts'
import { atomic, atomicWithKey, type Part } from '../engine/statement.ts'
import { isKeySigned, type SignedParams, signedBy } from '../passkeys/change-passkeys.ts'

export type AnswerParams = RecordedParams & {
  tenant: string
  id: string
  action: 'accept' | 'decline' | 'cancel'
  answer: string
  /** 1 when the stored answer is sealed. */
  is_secret: number
  person_answer: string
  voter: string
  via: string
  decision_id: string
  /** The voter's groups that the approval rule names, as JSON. */
  voter_groups: string | null
  /** 1 if this vote decides, given the votes that were counted before it. */
  decides: number
  accepts_before: number
  declines_before: number
  /** The signature of this vote by the key ring. */
  signature: string
  grant_id: string
  grant_signature: string | null
  /** The signature of the voter's passkey over this vote, as JSON. */
  presence: string | null
  state_id: string | null
  state_expires_at: number | null
}

export type Counted = { state: 'open' | 'settled'; ended_at: number | null }

// An open ask whose end is in the audit log was reopened outside Assent. It accepts no answer.
const hasNoRecordedEnd = `not exists (
          select 1 from audit_entries e
          where e.tenant = asks.tenant and e.subject = asks.id and e.kind <> 'note'
            and e.kind in ('ask.settled', 'ask.expired', 'ask.withdrawn'))`

/**
 * Counts one answer and, if it decides, settles the ask: at most once, with everything that depends on it.
 *
 * Core decides whether the vote settles the ask (`:decides`), from the votes that were read before. `state = 'open'` and the two
 * counters in the where clause make sure that these are still all votes: of two people who press Approve at the same moment, the
 * database makes the second wait, re-reads the row, finds other counters or a settled ask, and changes nothing; the caller
 * then reads the votes again. A second vote by the same person that passed `not exists` at the same moment violates the primary key
 * of `votes`, which rolls the whole step back.
 *
 * The grant, the used state id and the audit entry are parts of the step: none exists without the others. A state id that was
 * used before also rolls the whole step back.
 */
export const answerAsk = atomic<AnswerParams, Counted>('answer_ask', ...answering(''))

export type SignedAnswerParams = AnswerParams & SignedParams

/**
 * Locks the key of the voter. Only for an open ask with these votes: an answer that comes too late, or is counted again after
 * another vote, does not change the key before. Whether that still holds when it is its turn, `answering` decides.
 */
export const signedByVoter: Part = signedBy(
  ':voter',
  `and exists (select 1 from asks a where a.tenant = :tenant and a.id = :id and a.state = 'open'
    and a.accepts = :accepts_before and a.declines = :declines_before)`,
)

/** The same with the signature of a passkey, which must still be a key of the voter. */
export const answerWithPasskey = atomicWithKey<SignedAnswerParams, Counted>(
  'answer_with_passkey',
  signedByVoter,
  ...answering(`and ${isKeySigned}`),
)

/** @param also a further condition: SQL that begins with `and`, or empty */
export function answering(also: string): [Part, ...Part[]] {
  return [
    {
      name: 'counted',
      returns: [
        'tenant',
        'id',
        'state',
        'ended_at',
        'digest',
        'principal',
        'use_within',
        'approvals_needed',
        'declines_needed',
        'accepts',
        'declines',
        'log_counter',
      ],
      selects: ['state', 'ended_at'],
      sql: `
      update asks set
        log_counter = log_counter + 1,
        accepts = accepts + case when :action = 'accept' then 1 else 0 end,
        declines = declines + case when :action = 'decline' then 1 else 0 end,
        state = case when :decides = 1 then 'settled' else 'open' end,
        ended_at = case when :decides = 1 then :now end,
        answer = case when :decides = 1 then cast(:answer as text) end,
        secret_until = case when :decides = 1 and :is_secret = 1 then :now + use_within end,
        person_answer = case when :decides = 1 then cast(:person_answer as text) end,
        decided_by = case when :decides = 1 then cast(:voter as text) end,
        decided_via = case when :decides = 1 then cast(:via as text) end,
        decided_groups = case when :decides = 1 then cast(:voter_groups as text) end,
        decision_id = case when :decides = 1 then cast(:decision_id as text) end,
        decision_signature = case when :decides = 1 then cast(:signature as text) end,
        presence = case when :decides = 1 then cast(:presence as text) end
      where tenant = :tenant and id = :id and state = 'open' and decide_by > :now
        and accepts = :accepts_before and declines = :declines_before
        and (:action <> 'cancel' or approvals_needed = 1)
        and (needs_presence is null or :action <> 'accept' or cast(:presence as text) is not null)
        and not exists (
          select 1 from votes where votes.tenant = asks.tenant and votes.ask_id = asks.id and votes.voter = :voter)
        and ${hasNoRecordedEnd} ${also}
      returning tenant, id, state, ended_at, digest, principal, use_within, approvals_needed, declines_needed,
        accepts, declines, log_counter`,
    },
    {
      name: 'unlisted',
      sql: `
      update ask_approvers set is_open = 0, ended_at = c.ended_at from counted c
      where ask_approvers.tenant = c.tenant and ask_approvers.ask_id = c.id and c.state = 'settled'`,
    },
    {
      name: 'voted',
      sql: `
      insert into votes (tenant, ask_id, voter, answer, via, decision_id, signature, presence, voter_groups, place, voted_at)
      select c.tenant, c.id, :voter, :answer, :via, :decision_id, :signature, cast(:presence as text),
        cast(:voter_groups as text),
        c.accepts + c.declines + case when :action = 'cancel' then 1 else 0 end, :now
      from counted c
      where c.approvals_needed > 1 or c.declines_needed > 1`,
    },
    {
      name: 'granted',
      sql: `
      insert into grants (tenant, id, ask_id, digest, principal, granted_at, expires_at, signature)
      select c.tenant, :grant_id, c.id, c.digest, c.principal, c.ended_at, c.ended_at + c.use_within,
        cast(:grant_signature as text)
      from counted c
      where c.state = 'settled' and :action = 'accept' and c.digest is not null`,
    },
    {
      name: 'used',
      sql: `
      insert into used_ids (tenant, id, expires_at)
      select c.tenant, cast(:state_id as text), cast(:state_expires_at as bigint) from counted c
      where cast(:state_id as text) is not null`,
    },
    recorded('counted', `case when c.state = 'settled' then 'ask.settled' else 'ask.voted' end`),
  ]
}
