// Asks as the rest of Assent uses them: raise, read, answer, end, wait.
//
// I1  Core defines which answers are valid; the database decides which one counts. This module reads an ask, checks the
//     answer with core, and runs the one statement that decides. If that changed nothing, it reads the ask again and
//     returns its current state.
// I2  The question and the approval rule of an ask never change, so an answer can be checked before the statement runs.

import {
  type Ask,
  type AskDraft,
  answerWarnings,
  type CompilePattern,
  checkAnswer,
  type FastAnswer,
  groupsNamed,
  mayDecide,
  newId,
  type OpenLimits,
  type Vote,
  type WithdrawReason,
} from '@assent/core'
import type { Audit } from '../audit/audit.ts'
import type { Engine } from '../engine/engine.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { Passkeys } from '../passkeys/passkeys.ts'
import { randomBytes } from '../random.ts'
import { answerAsk, answerWithPasskey } from './answer-ask.ts'
import type { AnswerRequest, AnswerResult, EndResult, HandOverRequest } from './answer-request.ts'
import { type AskRow, askFromRow } from './ask-row.ts'
import type { AuditContents } from './audit-body.ts'
import { VoteCasting } from './cast-vote.ts'
import { deleteSecret, findUnsentSecrets } from './delete-secret.ts'
import { deliverAsk, seeAsk, undeliverAsk } from './deliver-ask.ts'
import { endAsk } from './end-ask.ts'
import { findOpenApproval, findStillOpen } from './find-asks.ts'
import { handOver, handOverWithPasskey } from './hand-over.ts'
import { listedForRow } from './listed-for.ts'
import { noteFastAnswer } from './note-fast-answer.ts'
import { isSigned } from './presence.ts'
import { RaisedAsks } from './raised-asks.ts'
import { Raising } from './raising.ts'
import { readAsk } from './read-ask.ts'
import { readVotes } from './read-votes.ts'
import { SettledAsks } from './settled-asks.ts'
import type { Signatures } from './signatures.ts'
import { deletedAnswer, type StoredAnswers } from './stored-answer.ts'
import { asksForSecret, isUnverified, mayAnswer, openAskOf } from './vote-checks.ts'
import { handOutAsk } from './waiting.ts'
import { Withdrawing } from './withdrawing.ts'

type End = { readonly state: 'expired' | 'withdrawn'; readonly reason: WithdrawReason | null }

export class Asks {
  readonly #engine: Engine
  readonly #audit: Audit
  readonly #notifier: Notifier
  readonly #signatures: Signatures
  readonly #answers: StoredAnswers
  readonly #patterns: CompilePattern | undefined
  readonly #raising: Raising
  readonly #raised: RaisedAsks
  readonly #settled = new SettledAsks()
  readonly #withdrawing: Withdrawing
  readonly #votes: VoteCasting

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
    this.#signatures = signatures
    this.#answers = answers
    this.#patterns = patterns
    const read = (tenant: string, id: string) => this.read(tenant, id)
    this.#raising = new Raising({ engine, audit, notifier, contents, signatures, read })
    this.#withdrawing = new Withdrawing(engine, audit, notifier)
    const readWithTime = (tenant: string, id: string) => this.#readWithTime(tenant, id)
    const settled = this.#settled
    this.#votes = new VoteCasting({ audit, notifier, contents, signatures, answers, passkeys, settled, readWithTime })
    this.#raised = new RaisedAsks(notifier)
  }

  close(): void {
    this.#raised.close()
    this.#settled.close()
  }

  /**
   * Opens an ask. Raising the same ask again, such as after a broken connection, returns the existing one.
   *
   * @param atMost limits on open asks; beyond one of them it throws `TooManyOpen`, and the ask is not raised
   * @param waitsAt the replica whose request waits for the answer; its lease must be valid; see `handOut`
   * @param isAnnounced its approvers get messages about it; see `Outbox`
   */
  async raise(draft: AskDraft, atMost?: OpenLimits, waitsAt?: string, isAnnounced = false): Promise<Ask> {
    const raise = () => this.#raising.raise(draft, atMost, waitsAt, isAnnounced)
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

  /** Answers an ask, or gives one of several answers that it needs. */
  async answer(request: AnswerRequest): Promise<AnswerResult> {
    const { tenant, id, person, via } = request
    const found = openAskOf(request) ?? (await this.#readWithTime(tenant, id))
    // Before checking who may decide: the approval rule of a changed row proves nothing.
    if (found !== undefined && isUnverified(found.ask)) return { kind: 'ended', ask: found.ask }
    if (found === undefined || !mayAnswer(found.ask, request)) return { kind: 'not-found' }
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
    const groups = groupsNamed(found.ask.approvalRule, person)
    const voter = groups.length === 0 ? { by: person.principal } : { by: person.principal, groups }
    const vote: Vote = { answer: checked.answer, ...voter, via, decisionId }
    if (found.ask.state.kind !== 'open') return this.#votes.resultOf(found.ask, vote, found.nowMs)
    return this.#votes.cast(found.ask, vote, request, (params) =>
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
    if (found.ask.state.kind !== 'open') return this.#votes.resultOf(found.ask, vote, found.nowMs)
    return this.#votes.cast(found.ask, vote, request, (params) =>
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

  /** The open approval of this action that a call of this principal waits for. */
  async openApproval(tenant: string, principal: string, digest: string): Promise<Ask | undefined> {
    const requester = `person:${principal}`
    const [found] = await this.#engine.run(findOpenApproval, { tenant, principal, requester, digest })
    return found === undefined ? undefined : this.read(tenant, found.id)
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
    this.#settled.forget(tenant, id)
    if (marked !== undefined) this.#notifier.changed(tenant, id, listedForRow(marked))
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
      let found = raised === undefined ? await this.#settledOrRead(tenant, id) : this.#withTime(raised.ask)
      for (;;) {
        if (found === undefined || found.ask.state.kind !== 'open') return found?.ask
        const [leftMs, openMs] = [giveUpAt - performance.now(), found.ask.decideByMs - found.nowMs]
        if (leftMs <= 0 || isAborted(signal)) return found.ask
        const isNotified = await waiter.wait(Math.min(leftMs, openMs), signal)
        // Nothing has changed: the caller's time is up, or the caller is gone.
        if (!isNotified && (leftMs < openMs || isAborted(signal))) return found.ask
        found = await this.#settledOrRead(tenant, id)
      }
    } finally {
      waiter.close()
    }
  }

  #withTime(ask: Ask): { ask: Ask; nowMs: number } {
    return { ask, nowMs: this.#engine.nowMs }
  }

  async #settledOrRead(tenant: string, id: string): Promise<{ ask: Ask; nowMs: number } | undefined> {
    const settled = this.#settled.find(tenant, id)
    return settled === undefined ? this.#readWithTime(tenant, id) : this.#withTime(settled)
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
    if (ended !== undefined) this.#notifier.ended(tenant, id, listedForRow(ended))
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
    const ask = row === undefined ? undefined : await this.withVotes(row)
    return row === undefined || ask === undefined ? undefined : { ask, nowMs: row.now }
  }

  /**
   * The ask of a row, verified: a row that was changed outside Assent is never returned as settled. Undefined if its texts were erased
   * meanwhile.
   */
  async withVotes(row: AskRow): Promise<Ask | undefined> {
    const { tenant, id } = row
    return this.#signatures.verified(row, {
      votes: () => this.#engine.run(readVotes, { tenant, ask_id: id }),
      isErased: async () => (await this.#engine.run(readAsk, { tenant, id })).length === 0,
    })
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true
}
