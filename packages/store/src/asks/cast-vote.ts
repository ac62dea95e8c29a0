// Casts votes on open asks.
//
// Owns: whether a vote decides, and the result that the voter gets.
// I1  Core decides from all counted votes whether one more decides; the statement counts it only if these are still all of
//     them. Otherwise the votes are read again.
// I2  A vote that may have been committed is reported only from the stored row.

import {
  type Answer,
  type Ask,
  AssentError,
  answer as answerByRules,
  askLimits,
  isAssentError,
  nameAnswer,
  needsSeveral,
  newId,
  type Vote,
} from '@assent/core'
import type { Audit } from '../audit/audit.ts'
import { DuplicateKey } from '../engine/engine.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { Passkeys } from '../passkeys/passkeys.ts'
import { randomBytes } from '../random.ts'
import type { AnswerRequest, AnswerResult } from './answer-request.ts'
import { type AuditContents, answeredBody } from './audit-body.ts'
import { listedFor } from './listed-for.ts'
import { type PresenceRequest, provenVote, type RunAnswer } from './presence.ts'
import type { SettledAsks } from './settled-asks.ts'
import type { Signatures } from './signatures.ts'
import { deletedAnswer, isSecretAnswer, type StoredAnswers } from './stored-answer.ts'
import { isSameVote } from './vote-checks.ts'

interface VoteCastingParts {
  readonly audit: Audit
  readonly notifier: Notifier
  readonly contents: AuditContents
  readonly signatures: Signatures
  readonly answers: StoredAnswers
  readonly passkeys: Passkeys
  readonly settled: SettledAsks
  readonly readWithTime: (tenant: string, id: string) => Promise<{ ask: Ask; nowMs: number } | undefined>
}

export class VoteCasting {
  readonly #parts: VoteCastingParts

  constructor(parts: VoteCastingParts) {
    this.#parts = parts
  }

  /** Counts the vote, if it has the signature of a passkey where it needs one. */
  async cast(ask: Ask, vote: Vote, request: PresenceRequest, run: RunAnswer): Promise<AnswerResult> {
    const proven = await provenVote(this.#parts.passkeys, ask, vote, request)
    if (!proven.ok) return proven.result
    return this.#castUntilCounted(ask, proven.vote, request.state, (params) => run({ ...params, ...proven.signed }))
  }

  /** Counts the vote. Another vote may be counted first: then whether this one decides is found again. */
  async #castUntilCounted(
    first: Ask,
    vote: Vote,
    state: AnswerRequest['state'],
    run: RunAnswer,
  ): Promise<AnswerResult> {
    let ask = first
    for (let tries = 0; ; tries += 1) {
      const result = await this.#castOnce(ask, vote, state, run)
      if (result !== 'not-counted') return result
      const found = await this.#parts.readWithTime(ask.tenant, ask.id)
      if (found === undefined) return { kind: 'not-found' }
      const hasMoreVotes = found.ask.votes.length > ask.votes.length
      if (!hasMoreVotes || tries >= askLimits.approvals) return this.resultOf(found.ask, vote, found.nowMs)
      ask = found.ask
    }
  }

  async #castOnce(
    ask: Ask,
    vote: Vote,
    state: AnswerRequest['state'],
    run: RunAnswer,
  ): Promise<AnswerResult | 'not-counted'> {
    const { tenant, id } = ask
    const next = answerByRules(ask, vote, ask.raisedAtMs)
    if (!next.ok) return 'not-counted'
    const counted = (action: Answer['action']) => ask.votes.filter(({ answer }) => answer.action === action).length
    const grantId = newId('grant', Date.now(), randomBytes)
    const isSecret = isSecretAnswer(ask.question, vote.answer)
    const params = {
      tenant,
      id,
      action: vote.answer.action,
      ...this.#stored(ask, vote.answer),
      person_answer: nameAnswer(ask.question, vote.answer),
      voter: vote.by,
      via: vote.via,
      decision_id: vote.decisionId,
      voter_groups: vote.groups === undefined ? null : JSON.stringify(vote.groups),
      decides: next.ask.state.kind === 'settled' ? 1 : 0,
      accepts_before: counted('accept'),
      declines_before: counted('decline'),
      signature: this.#parts.signatures.ofVote(ask, vote),
      grant_id: grantId,
      grant_signature: this.#parts.signatures.ofGrant(ask, grantId),
      presence: vote.presence === undefined ? null : JSON.stringify(vote.presence),
      state_id: state?.id ?? null,
      state_expires_at: state?.expiresAtMs ?? null,
      ...this.#parts.audit.body(answeredBody(vote, ask.question, isSecret ? 'digest' : this.#parts.contents)),
    }
    try {
      const [row] = await run(params)
      if (row === undefined) return 'not-counted'
      const settled = row.ended_at === null ? undefined : settledBy(ask, vote, isSecret, row.ended_at)
      if (settled !== undefined) this.#parts.settled.add(settled)
      if (row.state === 'open') this.#parts.notifier.changed(tenant, id, listedFor(ask))
      else this.#parts.notifier.ended(tenant, id, listedFor(ask))
      if (settled !== undefined) return { kind: 'settled', ask: settled }
    } catch (error) {
      if (error instanceof DuplicateKey && error.table === 'used_ids') return { kind: 'state-used' }
      // The step may have been committed: only reading the row can tell, and if that fails too, no approval may be reported.
      const isUnclear = isAssentError(error, 'store_unavailable')
      const hasVoted = error instanceof DuplicateKey && error.table === 'votes'
      if (!isUnclear && !hasVoted) throw error
    }
    return this.#readResult(tenant, id, vote)
  }

  async #readResult(tenant: string, id: string, vote: Vote): Promise<AnswerResult> {
    const found = await this.#parts.readWithTime(tenant, id)
    if (found === undefined) return { kind: 'not-found' }
    return this.resultOf(found.ask, vote, found.nowMs)
  }

  /** The result of a vote, derived from the ask as it is now. */
  resultOf(ask: Ask, vote: Vote, nowMs: number): AnswerResult {
    const { state } = ask
    const mine = state.kind === 'settled' && state.decisionId === vote.decisionId ? state : undefined
    if (mine !== undefined) return isSameVote(mine, vote) ? { kind: 'settled', ask } : { kind: 'conflict' }

    const counted = ask.votes.find(({ decisionId }) => decisionId === vote.decisionId)
    if (counted !== undefined) return isSameVote(counted, vote) ? { kind: 'counted', ask } : { kind: 'conflict' }

    const checked = answerByRules(ask, vote, nowMs)
    // The key was removed, or another use advanced its counter, after it was verified.
    if (checked.ok && vote.presence !== undefined)
      return { kind: 'presence', problem: { why: 'the passkey can no longer be used' } }
    if (checked.ok)
      throw new AssentError(
        'store_unavailable',
        `The answer to ask ${ask.id} could not be stored. Try again; if it fails again, run "assent audit verify".`,
      )
    if (checked.reason === 'already-voted' || checked.reason === 'no-cancel') return { kind: checked.reason }
    return { kind: 'ended', ask }
  }

  /** If several people decide, comments are not delivered, so one that looks like a secret is not stored. */
  #stored(ask: Ask, answer: Answer): { answer: string; is_secret: number } {
    if (!isSecretAnswer(ask.question, answer)) return { answer: JSON.stringify(answer), is_secret: 0 }
    if (needsSeveral(ask.approvalRule)) return { answer: deletedAnswer(ask.question, answer), is_secret: 0 }
    return { answer: this.#parts.answers.sealed(ask, answer), is_secret: 1 }
  }
}

/** The ask that this vote alone settled. One of several votes is reported from the stored rows. */
function settledBy(ask: Ask, vote: Vote, isSecret: boolean, atMs: number): Ask | undefined {
  if (needsSeveral(ask.approvalRule)) return undefined
  return { ...ask, state: { kind: 'settled', ...vote, ...(isSecret ? { isSecret } : {}), atMs } }
}
