// Asks as the rest of Assent uses them: raise, read, answer, end, wait.
//
// I1  Core defines which answers are valid; the database decides which one counts. This module reads an ask, checks the
//     answer with core, and runs the one statement that decides. If that changed nothing, it reads the ask again and
//     returns its current state.
// I2  The question and the approval rule of an ask never change, so an answer can be checked before the statement runs.

import {
  type Answer,
  type Ask,
  type AskDraft,
  AssentError,
  answer as answerByRules,
  answerWarnings,
  type CompilePattern,
  checkAnswer,
  type FastAnswer,
  isAssentError,
  mayDecide,
  nameAnswer,
  needsSeveral,
  newId,
  type OpenLimits,
  type Vote,
  type WithdrawReason,
} from '@assent/core'
import type { Audit } from '../audit/audit.ts'
import { DuplicateKey, type Engine } from '../engine/engine.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { Passkeys } from '../passkeys/passkeys.ts'
import { randomBytes } from '../random.ts'
import { answerAsk, answerWithPasskey } from './answer-ask.ts'
import type { AnswerRequest, AnswerResult, EndResult, HandOverRequest } from './answer-request.ts'
import { type AskRow, askFromRow, readApprovalRule } from './ask-row.ts'
import { type AuditContents, answeredBody } from './audit-body.ts'
import { deleteSecret, findUnsentSecrets } from './delete-secret.ts'
import { deliverAsk, seeAsk, undeliverAsk } from './deliver-ask.ts'
import { endAsk } from './end-ask.ts'
import { findStillOpen } from './find-asks.ts'
import { handOver, handOverWithPasskey } from './hand-over.ts'
import { noteFastAnswer } from './note-fast-answer.ts'
import { isSigned, type PresenceRequest, provenVote, type RunAnswer } from './presence.ts'
import { type RaisedAsk, RaisedAsks } from './raised-asks.ts'
import { Raising } from './raising.ts'
import { readAsk } from './read-ask.ts'
import { readVotes } from './read-votes.ts'
import type { Signatures } from './signatures.ts'
import { deletedAnswer, isSecretAnswer, type StoredAnswers } from './stored-answer.ts'
import { asksForSecret, isSameVote, isUnverified, openAskOf } from './vote-checks.ts'
import { handOutAsk } from './waiting.ts'
import { Withdrawing } from './withdrawing.ts'

type End = { readonly state: 'expired' | 'withdrawn'; readonly reason: WithdrawReason | null }

export class Asks {
  readonly #engine: Engine
  readonly #audit: Audit
  readonly #notifier: Notifier
  readonly #contents: AuditContents
  readonly #signatures: Signatures
  readonly #answers: StoredAnswers
  readonly #patterns: CompilePattern | undefined
  readonly #passkeys: Passkeys
  readonly #raising: Raising
  readonly #raised: RaisedAsks
  readonly #withdrawing: Withdrawing

  constructor(
    engine: Engine,
    audit: Audit,
    notifier: Notifier,
    contents: AuditContents,
    signatures: Signatures,
    answers: StoredAnswers,
    patterns: CompilePattern | undefined,
    passkeys: Passkeys,
  ) {
    this.#engine = engine
    this.#audit = audit
    this.#notifier = notifier
    this.#contents = contents
    this.#signatures = signatures
    this.#answers = answers
    this.#patterns = patterns
    this.#passkeys = passkeys
    const read = (tenant: string, id: string) => this.read(tenant, id)
    this.#raising = new Raising({ engine, audit, notifier, contents, signatures, read })
    this.#withdrawing = new Withdrawing(engine, audit, notifier)
    this.#raised = new RaisedAsks(notifier)
  }

  close(): void {
    this.#raised.close()
  }

  /**
   * Opens an ask. Raising the same ask again, such as after a broken connection, returns the existing one.
   *
   * @param atMost limits on open asks; beyond one of them it throws `TooManyOpen`, and the ask is not raised
   * @param waitsAt the replica whose request waits for the answer; its lease must be valid; see `handOut`
   */
  async raise(draft: AskDraft, atMost?: OpenLimits, waitsAt?: string): Promise<Ask> {
    const raise = () => this.#raising.raise(draft, atMost, waitsAt)
    const isWaitedFor = waitsAt !== undefined || draft.callId !== undefined
    return isWaitedFor ? this.#raised.raise(draft.tenant, draft.id, raise) : (await raise()).ask
  }

  async read(tenant: string, id: string): Promise<Ask | undefined> {
    return (await this.#readWithTime(tenant, id))?.ask
  }

  /** After the asker received the answer: deletes what looks like a secret in it; its digests stay. */
  async deleteSecret(tenant: string, id: string): Promise<void> {
    const [row] = await this.#engine.run(readAsk, { tenant, id })
    if (row?.secret_until != null) await this.#deleteSecret(row)
  }

  /** Deletes sealed answers that were not fetched in time. */
  async deleteUnsentSecrets(atMost: number): Promise<number> {
    const rows = await this.#engine.run(findUnsentSecrets, { at_most: atMost })
    for (const row of rows) await this.#deleteSecret(row)
    return rows.length
  }

  async #deleteSecret(row: AskRow): Promise<void> {
    const { tenant, id } = row
    const { question, state } = askFromRow(row, this.#answers)
    if (state.kind !== 'settled') return
    await this.#engine.runRepeatable(deleteSecret, { tenant, id, answer: deletedAnswer(question, state.answer) })
  }

  /** If several people decide, comments are not delivered, so one that looks like a secret is not stored. */
  #stored(ask: Ask, answer: Answer): { answer: string; is_secret: number } {
    if (!isSecretAnswer(ask.question, answer)) return { answer: JSON.stringify(answer), is_secret: 0 }
    if (needsSeveral(ask.approvalRule)) return { answer: deletedAnswer(ask.question, answer), is_secret: 0 }
    return { answer: this.#answers.sealed(ask, answer), is_secret: 1 }
  }

  /** Answers an ask, or gives one of several answers that it needs. */
  async answer(request: AnswerRequest): Promise<AnswerResult> {
    const { tenant, id, person, via } = request
    const found = openAskOf(request) ?? (await this.#readWithTime(tenant, id))
    // Before checking who may decide: the approval rule of a changed row proves nothing.
    if (found !== undefined && isUnverified(found.ask)) return { kind: 'ended', ask: found.ask }
    if (found === undefined || !mayDecide(found.ask.approvalRule, person)) return { kind: 'not-found' }
    const checked = checkAnswer(found.ask.question, request.answer, { patterns: this.#patterns })
    if (!checked.ok) {
      if (found.ask.state.kind !== 'open') return { kind: 'ended', ask: found.ask }
      return checked.reason === 'invalid'
        ? { kind: 'invalid', issues: checked.issues }
        : { kind: 'malformed', message: checked.message }
    }

    const warnings = request.refusesSecrets === true ? answerWarnings(found.ask.question, checked.answer) : []
    if (warnings.length > 0 && found.ask.state.kind === 'open') return { kind: 'looks-secret', warnings }

    const decisionId = request.decisionId ?? newId('decision', Date.now(), randomBytes)
    const vote: Vote = { answer: checked.answer, by: person.principal, via, decisionId }
    if (found.ask.state.kind !== 'open') return this.#resultOf(found.ask, vote, found.nowMs)
    return this.#castProven(found.ask, vote, request, (params) =>
      isSigned(params)
        ? this.#engine.runRepeatable(answerWithPasskey, params)
        : this.#engine.runRepeatable(answerAsk, params),
    )
  }

  /** Accepts an ask for a secret. Returns `not-found` for anyone but the person who was asked. */
  async handOver(request: HandOverRequest): Promise<AnswerResult> {
    const { tenant, id, person, page, sealed } = request
    const found = await this.#readWithTime(tenant, id)
    if (found === undefined || found.ask.principal !== person.principal) return { kind: 'not-found' }
    if (!mayDecide(found.ask.approvalRule, person) || !asksForSecret(found.ask, page)) return { kind: 'not-found' }
    const decisionId = request.decisionId ?? newId('decision', Date.now(), randomBytes)
    const vote: Vote = { answer: { action: 'accept' }, by: person.principal, via: 'inbox', decisionId }
    if (found.ask.state.kind !== 'open') return this.#resultOf(found.ask, vote, found.nowMs)
    return this.#castProven(found.ask, vote, request, (params) =>
      isSigned(params)
        ? this.#engine.runRepeatable(handOverWithPasskey, { ...params, page, sealed })
        : this.#engine.runRepeatable(handOver, { ...params, page, sealed }),
    )
  }

  /** Records that the client answered too fast to be a person. It changes nothing else about the ask. */
  async noteFastAnswer(tenant: string, id: string, { action, afterMs }: FastAnswer): Promise<void> {
    await this.#engine.run(noteFastAnswer, { tenant, id, action, after: Math.round(afterMs) })
  }

  async withdraw(tenant: string, id: string, reason: WithdrawReason): Promise<EndResult> {
    return this.#end(tenant, id, { state: 'withdrawn', reason })
  }

  /**
   * The caller received a state or a handle, so the answer no longer depends on one replica.
   *
   * @param session the client session whose end also ends the handle, if there is one
   */
  async handOut(tenant: string, id: string, session?: string): Promise<void> {
    await this.#engine.runRepeatable(handOutAsk, { tenant, id, session: session ?? null })
  }

  /** The ids of those of these asks that are open. */
  async stillOpen(tenant: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.#engine.run(findStillOpen, { tenant, ids: JSON.stringify(ids) })
    return rows.map(({ id }) => id)
  }

  /** Withdraws all open asks of this replica: nothing waits for them once it has ended. */
  async withdrawOfReplica(replica: string, reason: WithdrawReason): Promise<number> {
    return this.#withdrawing.ofReplica(replica, reason)
  }

  /** Withdraws open asks of replicas whose lease has ended. */
  async withdrawOfDeadReplicas(): Promise<number> {
    return this.#withdrawing.ofDeadReplicas()
  }

  /** Withdraws open asks whose handle ended with its client session. */
  async withdrawOfGoneSessions(): Promise<number> {
    return this.#withdrawing.ofGoneSessions()
  }

  /** Marks an ask whose deadline has passed. Every read treated it as expired already; now it is recorded too. */
  async expire(tenant: string, id: string): Promise<EndResult> {
    return this.#end(tenant, id, { state: 'expired', reason: null })
  }

  /** A server that waits inside its call receives the answer now. */
  async delivered(tenant: string, id: string): Promise<void> {
    await this.#engine.run(deliverAsk, { tenant, id })
  }

  /**
   * The answer could not be delivered, because the server had stopped waiting. Recorded once; the answer stays.
   *
   * @param isCertain overrides an earlier `delivered`
   */
  async undelivered(tenant: string, id: string, isCertain: boolean): Promise<boolean> {
    const params = { tenant, id, is_certain: isCertain ? 1 : 0, ...this.#audit.body({}) }
    const [marked] = await this.#engine.runRepeatable(undeliverAsk, params)
    if (marked !== undefined) this.#notifier.changed(tenant, id, readApprovalRule(marked.approval_rule).approvers)
    return marked !== undefined
  }

  /** A request waits for the answer now. Written at most once per `everyMs`. */
  async seen(tenant: string, id: string, everyMs: number): Promise<void> {
    await this.#engine.run(seeAsk, { tenant, id, every: everyMs })
  }

  /**
   * Waits until an ask has ended, and returns it. Returns the open ask after `timeoutMs` or when the signal aborts, and
   * undefined if there is no such ask.
   */
  async wait(
    tenant: string,
    id: string,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<Ask | undefined> {
    const { timeoutMs = Number.POSITIVE_INFINITY, signal } = options
    const giveUpAt = performance.now() + timeoutMs
    // Listening begins before the first read, so an answer between the two is not missed.
    const raised = this.#raised.take(tenant, id)
    const waiter = raised?.waiter ?? this.#notifier.waiterFor(tenant, id)
    try {
      let found = raised === undefined ? await this.#readWithTime(tenant, id) : this.#asRaised(raised)
      for (;;) {
        if (found === undefined || found.ask.state.kind !== 'open') return found?.ask
        const [leftMs, openMs] = [giveUpAt - performance.now(), found.ask.decideByMs - found.nowMs]
        if (leftMs <= 0 || isAborted(signal)) return found.ask
        const isNotified = await waiter.wait(Math.min(leftMs, openMs), signal)
        // Nothing has changed: the caller's time is up, or the caller is gone.
        if (!isNotified && (leftMs < openMs || isAborted(signal))) return found.ask
        found = await this.#readWithTime(tenant, id)
      }
    } finally {
      waiter.close()
    }
  }

  #asRaised({ ask }: RaisedAsk): { ask: Ask; nowMs: number } {
    return { ask, nowMs: this.#engine.nowMs }
  }

  /** Counts the vote, if it has the signature of a passkey where it needs one. */
  async #castProven(ask: Ask, vote: Vote, request: PresenceRequest, run: RunAnswer): Promise<AnswerResult> {
    const proven = await provenVote(this.#passkeys, ask, vote, request)
    if (!proven.ok) return proven.result
    return this.#cast(ask, proven.vote, request.state, (params) => run({ ...params, ...proven.signed }))
  }

  async #cast(ask: Ask, vote: Vote, state: AnswerRequest['state'], run: RunAnswer): Promise<AnswerResult> {
    const { tenant, id } = ask
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
      signature: this.#signatures.ofVote(ask, vote),
      grant_id: grantId,
      grant_signature: this.#signatures.ofGrant(ask, grantId),
      presence: vote.presence === undefined ? null : JSON.stringify(vote.presence),
      state_id: state?.id ?? null,
      state_expires_at: state?.expiresAtMs ?? null,
      ...this.#audit.body(answeredBody(vote, ask.question, isSecret ? 'digest' : this.#contents)),
    }
    try {
      const [counted] = await run(params)
      const { approvers } = ask.approvalRule
      if (counted?.state === 'open') this.#notifier.changed(tenant, id, approvers)
      if (counted?.state === 'settled') this.#notifier.ended(tenant, id, approvers)
      if (counted?.ended_at != null && !needsSeveral(ask.approvalRule)) {
        const state = { kind: 'settled', ...vote, ...(isSecret ? { isSecret } : {}), atMs: counted.ended_at } as const
        return { kind: 'settled', ask: { ...ask, state } }
      }
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
    const found = await this.#readWithTime(tenant, id)
    if (found === undefined) return { kind: 'not-found' }
    return this.#resultOf(found.ask, vote, found.nowMs)
  }

  /** The result of a vote, derived from the ask as it is now. */
  #resultOf(ask: Ask, vote: Vote, nowMs: number): AnswerResult {
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

  async #end(tenant: string, id: string, end: End): Promise<EndResult> {
    const isDone = await this.#mark(tenant, id, end)
    const ask = await this.read(tenant, id)
    if (ask === undefined) return { kind: 'not-found' }
    if (ask.state.kind === 'open') return { kind: 'not-due' }
    return { kind: isDone ? 'done' : 'ended', ask }
  }

  async #mark(tenant: string, id: string, end: End): Promise<boolean> {
    const body = this.#audit.body(end.reason === null ? {} : { reason: end.reason })
    const [ended] = await this.#engine.runRepeatable(endAsk, { tenant, id, ...end, ...body })
    if (ended !== undefined) this.#notifier.ended(tenant, id, readApprovalRule(ended.approval_rule).approvers)
    return ended !== undefined
  }

  /**
   * An overdue ask is marked before it is reported as expired: an answer that arrived in time may still be waiting for its
   * commit, and then the row decides, not the clock.
   */
  async #readWithTime(tenant: string, id: string): Promise<{ ask: Ask; nowMs: number } | undefined> {
    let [row] = await this.#engine.run(readAsk, { tenant, id })
    if (row?.state === 'open' && row.decide_by <= row.now) {
      await this.#mark(tenant, id, { state: 'expired', reason: null })
      ;[row] = await this.#engine.run(readAsk, { tenant, id })
    }
    return row === undefined ? undefined : { ask: await this.withVotes(row), nowMs: row.now }
  }

  /** The ask of a row, verified: a row that was changed outside Assent is never returned as settled. */
  async withVotes(row: AskRow): Promise<Ask> {
    const { tenant, id } = row
    return this.#signatures.verified(row, () => this.#engine.run(readVotes, { tenant, ask_id: id }))
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}
