// Asks as the rest of Assent uses them: raise, read, answer, end, wait.
//
// The rules are core's and the lock is the database's: this module reads an ask, lets core judge, runs the one statement
// that decides, and when that changed nothing looks again and says what happened instead. Question and electorate never
// change once raised, so judging them before the statement is safe.

import {
  type Answer,
  type AnswerWarning,
  type Ask,
  type AskDraft,
  AssentError,
  answer as answerByTheRules,
  answerDigests,
  answerWarnings,
  type CompilePattern,
  type ContentIssue,
  canonicalJson,
  draftProblem,
  type FastAnswer,
  type Full,
  isAssentError,
  judgeAnswer,
  type KeptVote,
  mayDecide,
  nameAnswer,
  needsSeveral,
  newId,
  type OpenLimits,
  type Person,
  raise as raiseByTheRules,
  type Surface,
  TooManyOpen,
  type Vote,
  type WithdrawReason,
} from '@assent/core'
import type { Audit } from '../audit/audit.ts'
import { addOnce, DuplicateKey, type Engine } from '../engine/engine.ts'
import type { Statement } from '../engine/statement.ts'
import { randomBytes } from '../random.ts'
import type { Watch } from '../wake/watch.ts'
import { type AnswerParams, answerAsk, type Counted } from './answer-ask.ts'
import { type AskRow, askFromRow } from './ask-row.ts'
import { type AuditContents, answeredBody, raisedBody } from './audit-body.ts'
import { deleteSecret, findUnsentSecrets } from './delete-secret.ts'
import { deliverAsk, seeAsk, undeliverAsk } from './deliver-ask.ts'
import { endAsk } from './end-ask.ts'
import { findStillOpen } from './find-asks.ts'
import { handOver } from './hand-over.ts'
import { noteFastAnswer } from './note-fast-answer.ts'
import { OpenTotal } from './open-total.ts'
import { approverParam, type RaiseParams, raiseAsk, raiseAskWithin } from './raise-ask.ts'
import { readAsk } from './read-ask.ts'
import { readVotes } from './read-votes.ts'
import type { Told } from './room.ts'
import type { Signatures } from './signatures.ts'
import { deletedAnswer, isSecretAnswer, type StoredAnswers } from './stored-answer.ts'
import {
  findOfDeadReplicas,
  findOfGoneSessions,
  findOfReplica,
  handOutAsk,
  type WaitingKey,
  type WithdrawParams,
  withdrawOfDeadReplica,
  withdrawOfGoneSession,
  withdrawOfReplica,
} from './waiting.ts'

export interface AnswerRequest {
  readonly tenant: string
  readonly id: string
  /** Who answers, as proven to the surface. */
  readonly person: Person
  readonly via: Surface
  /** As it came; judged here. */
  readonly answer: unknown
  /** The ask as whoever looked it up has just read it. Read here otherwise. */
  readonly ask?: Ask
  /** Whether an answer that looks like a secret is refused: nobody confirmed it. */
  readonly refusesSecrets?: boolean
  /** The same id again is the same answer sent twice. Made here when the surface has none. */
  readonly decisionId?: string
  /** The sealed state that brought the answer, used up with it. */
  readonly state?: { readonly id: string; readonly expiresAtMs: number }
}

/** A secret, encrypted for the server that asked for it. */
export interface HandOverRequest extends Pick<AnswerRequest, 'tenant' | 'id' | 'person' | 'decisionId'> {
  readonly page: string
  readonly sealed: string
}

export type Answered =
  /** This answer decided. Also when it is the same answer again. */
  | { readonly kind: 'settled'; readonly ask: Ask }
  /** It counted, and more are needed. */
  | { readonly kind: 'counted'; readonly ask: Ask }
  /** Too late: the ask's state says who settled it, how and when, or how else it ended. */
  | { readonly kind: 'ended'; readonly ask: Ask }
  | { readonly kind: 'invalid'; readonly issues: readonly ContentIssue[] }
  | { readonly kind: 'malformed'; readonly message: string }
  /** Something in it looks like a secret, and the request refuses those. The ask stays open. */
  | { readonly kind: 'looks-secret'; readonly warnings: readonly AnswerWarning[] }
  /** This person has answered already; their first answer stands. */
  | { readonly kind: 'already-voted' }
  /** Several must decide, so one person's "no choice" is not an answer. */
  | { readonly kind: 'no-cancel' }
  /** The same decision id came with a different answer. */
  | { readonly kind: 'conflict' }
  | { readonly kind: 'state-used' }
  /** There is no such ask, or it is not this person's to decide: the same on purpose. */
  | { readonly kind: 'not-found' }

export type Ended = { readonly kind: 'done' | 'ended'; readonly ask: Ask } | { readonly kind: 'not-due' | 'not-found' }

/** How raising one went: when, or what had no room. */
type Raising = { readonly raised_at: Told['raised_at']; readonly no_room: Full | null }

const neither: Raising = { raised_at: null, no_room: null }

const atMost = 1_000

type End = { readonly state: 'expired' | 'withdrawn'; readonly reason: WithdrawReason | null }

export class Asks {
  readonly #engine: Engine
  readonly #audit: Audit
  readonly #watch: Watch
  readonly #contents: AuditContents
  readonly #signatures: Signatures
  readonly #answers: StoredAnswers
  readonly #patterns: CompilePattern | undefined
  readonly #openTotal: OpenTotal

  constructor(
    engine: Engine,
    audit: Audit,
    watch: Watch,
    contents: AuditContents,
    signatures: Signatures,
    answers: StoredAnswers,
    patterns: CompilePattern | undefined,
  ) {
    this.#engine = engine
    this.#audit = audit
    this.#watch = watch
    this.#contents = contents
    this.#signatures = signatures
    this.#answers = answers
    this.#patterns = patterns
    this.#openTotal = new OpenTotal(engine)
  }

  /**
   * Opens an ask. The same ask raised again, after an unclear failure, is the same ask.
   *
   * @param atMost asks that may be open with it; one more throws `TooManyOpen`, and is not raised
   * @param waitsAt the replica whose request waits for the answer, with a lease that holds; see `handOut`
   */
  async raise(draft: AskDraft, atMost?: OpenLimits, waitsAt?: string): Promise<Ask> {
    const problem = draftProblem(draft)
    if (problem !== undefined) throw new AssentError('validation_failed', problem)

    const { electorate, question } = draft
    const approvers = electorate.approvers.map((name, index) => [approverParam(index), name])
    const params = {
      tenant: draft.tenant,
      id: draft.id,
      server: draft.asker.server,
      tool: draft.asker.tool ?? null,
      principal: draft.principal,
      call_id: draft.callId ?? null,
      kind: question.kind,
      question: JSON.stringify(question),
      comment_reaches: draft.commentReaches ?? null,
      electorate: JSON.stringify(electorate),
      approvals_needed: electorate.approvals,
      declines_needed: electorate.declines,
      digest: question.kind === 'approval' ? question.digest : null,
      decide_within: draft.decideWithinMs,
      use_within: draft.useWithinMs,
      signature: this.#signatures.ofAsk(draft),
      waits_at: waitsAt ?? null,
      wait_unknown: draft.isWaitUnknown === true ? 1 : null,
      ...this.#audit.body(raisedBody(draft, this.#contents)),
      ...Object.fromEntries(approvers),
    }
    const count = electorate.approvers.length
    let told = await this.#raiseOnce(params, count, atMost)
    if (told.raised_at === null && told.no_room === null) {
      await this.#audit.begin(draft.tenant)
      told = await this.#raiseOnce(params, count, atMost)
    }
    if (told.raised_at !== null) {
      this.#openTotal.raised()
      this.#watch.moved(draft.tenant, draft.id)
      return raiseByTheRules(draft, told.raised_at)
    }

    const ask = await this.read(draft.tenant, draft.id)
    if (ask === undefined && atMost !== undefined && told.no_room !== null) {
      throw new TooManyOpen(told.no_room, atMost, draft.asker.server)
    }
    if (ask === undefined || !isOf(ask, draft)) {
      throw new AssentError('validation_failed', `There is another ask with the id ${draft.id}.`)
    }
    // Whoever raised it may not have learned that they did, and told nobody.
    this.#watch.moved(draft.tenant, draft.id)
    return ask
  }

  async read(tenant: string, id: string): Promise<Ask | undefined> {
    return (await this.#readWithTime(tenant, id))?.ask
  }

  /** The asker has the answer. What looks like a secret in it is deleted here; its digests stay. */
  async deleteSecret(tenant: string, id: string): Promise<void> {
    const [row] = await this.#engine.run(readAsk, { tenant, id })
    if (row?.secret_until != null) await this.#deleteSecret(row)
  }

  /** Deletes sealed answers that nobody fetched in time. */
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

  /** Where several decide, a comment that looks like a secret is not stored at all: it is delivered to nobody. */
  #stored(ask: Ask, answer: Answer): { answer: string; is_secret: number } {
    if (!isSecretAnswer(ask.question, answer)) return { answer: JSON.stringify(answer), is_secret: 0 }
    if (needsSeveral(ask.electorate)) return { answer: deletedAnswer(ask.question, answer), is_secret: 0 }
    return { answer: this.#answers.sealed(ask, answer), is_secret: 1 }
  }

  /** Gives an ask its answer, or one of the answers it needs. */
  async answer(request: AnswerRequest): Promise<Answered> {
    const { tenant, id, person, via } = request
    const found = openAsk(request) ?? (await this.#readWithTime(tenant, id))
    // Before asking who may decide: the approval rule of a changed row proves nothing.
    if (found !== undefined && isUnverified(found.ask)) return { kind: 'ended', ask: found.ask }
    if (found === undefined || !mayDecide(found.ask.electorate, person)) return { kind: 'not-found' }
    const judged = judgeAnswer(found.ask.question, request.answer, { patterns: this.#patterns })
    if (!judged.ok) {
      if (found.ask.state.kind !== 'open') return { kind: 'ended', ask: found.ask }
      return judged.reason === 'invalid'
        ? { kind: 'invalid', issues: judged.issues }
        : { kind: 'malformed', message: judged.message }
    }

    const warnings = request.refusesSecrets === true ? answerWarnings(found.ask.question, judged.answer) : []
    if (warnings.length > 0 && found.ask.state.kind === 'open') return { kind: 'looks-secret', warnings }

    const decisionId = request.decisionId ?? newId('decision', Date.now(), randomBytes)
    const vote: Vote = { answer: judged.answer, by: person.principal, via, decisionId }
    if (found.ask.state.kind !== 'open') return this.#explain(found.ask, vote, found.nowMs)
    return this.#cast(found.ask, vote, request.state)
  }

  /** The yes to an ask for a secret. For anyone but the person it was put to, the ask does not exist. */
  async handOver(request: HandOverRequest): Promise<Answered> {
    const { tenant, id, person, page, sealed } = request
    const found = await this.#readWithTime(tenant, id)
    if (found === undefined || found.ask.principal !== person.principal) return { kind: 'not-found' }
    if (!mayDecide(found.ask.electorate, person) || !asksFor(found.ask, page)) return { kind: 'not-found' }
    const decisionId = request.decisionId ?? newId('decision', Date.now(), randomBytes)
    const vote: Vote = { answer: { action: 'accept' }, by: person.principal, via: 'inbox', decisionId }
    if (found.ask.state.kind !== 'open') return this.#explain(found.ask, vote, found.nowMs)
    return this.#cast(found.ask, vote, undefined, (params) =>
      this.#engine.runRepeatable(handOver, { ...params, page, sealed }),
    )
  }

  /** Keeps that the client answered too fast to be a person. It changes nothing else about the ask. */
  async noteFastAnswer(tenant: string, id: string, { action, afterMs }: FastAnswer): Promise<void> {
    await this.#engine.run(noteFastAnswer, { tenant, id, action, after: Math.round(afterMs) })
  }

  async withdraw(tenant: string, id: string, reason: WithdrawReason): Promise<Ended> {
    return this.#end(tenant, id, { state: 'withdrawn', reason })
  }

  /**
   * The caller got a state or a handle, so the answer is not waited for by one replica alone any more.
   *
   * @param session the client session that the handle ends with, if there is one
   */
  async handOut(tenant: string, id: string, session?: string): Promise<void> {
    await this.#engine.runRepeatable(handOutAsk, { tenant, id, session: session ?? null })
  }

  /** Of these asks, those that are open. */
  async stillOpen(tenant: string, ids: readonly string[]): Promise<string[]> {
    const rows = await this.#engine.run(findStillOpen, { tenant, ids: JSON.stringify(ids) })
    return rows.map(({ id }) => id)
  }

  /** Withdraws all open asks that name this replica: nothing waits for them once it has ended. */
  async withdrawOfReplica(replica: string, reason: WithdrawReason): Promise<number> {
    return this.#withdrawAll(
      await this.#engine.run(findOfReplica, { replica, at_most: atMost }),
      withdrawOfReplica,
      reason,
    )
  }

  /** Withdraws open asks of replicas whose lease has ended. */
  async withdrawOfDeadReplicas(): Promise<number> {
    const found = await this.#engine.run(findOfDeadReplicas, { at_most: atMost })
    return this.#withdrawAll(found, withdrawOfDeadReplica, 'owner-lost')
  }

  /** Withdraws open asks whose handle ended with its client session. */
  async withdrawOfGoneSessions(): Promise<number> {
    const found = await this.#engine.run(findOfGoneSessions, { at_most: atMost })
    return this.#withdrawAll(found, withdrawOfGoneSession, 'caller-gone')
  }

  /** Marks an ask whose deadline has passed. It had ended for every reader already; now it is recorded too. */
  async expire(tenant: string, id: string): Promise<Ended> {
    return this.#end(tenant, id, { state: 'expired', reason: null })
  }

  /** A server that waits inside its call is given the answer now. */
  async delivered(tenant: string, id: string): Promise<void> {
    await this.#engine.run(deliverAsk, { tenant, id })
  }

  /**
   * The answer could not be delivered: the server had stopped waiting. Recorded once, beside the answer.
   *
   * @param isCertain overrides an earlier `delivered`
   */
  async undelivered(tenant: string, id: string, isCertain: boolean): Promise<boolean> {
    const params = { tenant, id, is_certain: isCertain ? 1 : 0, ...this.#audit.body({}) }
    const [marked] = await this.#engine.runRepeatable(undeliverAsk, params)
    if (marked !== undefined) this.#watch.moved(tenant, id)
    return marked !== undefined
  }

  /** A request waits for the answer now. Written at most once in `everyMs`. */
  async seen(tenant: string, id: string, everyMs: number): Promise<void> {
    await this.#engine.run(seeAsk, { tenant, id, every: everyMs })
  }

  /**
   * Waits until an ask has ended, and returns it. Returns it still open when the time is up or the signal aborts, and
   * undefined when there is no such ask.
   */
  async wait(
    tenant: string,
    id: string,
    options: { timeoutMs?: number; signal?: AbortSignal } = {},
  ): Promise<Ask | undefined> {
    const { timeoutMs = Number.POSITIVE_INFINITY, signal } = options
    const giveUpAt = performance.now() + timeoutMs
    // Listening begins before the first look, so an answer between the two is not missed.
    const bell = this.#watch.listen(tenant, id)
    try {
      for (;;) {
        const found = await this.#readWithTime(tenant, id)
        if (found === undefined || found.ask.state.kind !== 'open') return found?.ask
        const leftMs = giveUpAt - performance.now()
        if (leftMs <= 0 || signal?.aborted === true) return found.ask
        await bell.rung(Math.min(leftMs, found.ask.decideByMs - found.nowMs), signal)
      }
    } finally {
      bell.close()
    }
  }

  async #cast(
    ask: Ask,
    vote: Vote,
    state: AnswerRequest['state'],
    run: (params: AnswerParams) => Promise<Counted[]> = (params) => this.#engine.runRepeatable(answerAsk, params),
  ): Promise<Answered> {
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
      state_id: state?.id ?? null,
      state_expires_at: state?.expiresAtMs ?? null,
      ...this.#audit.body(answeredBody(vote, ask.question, isSecret ? 'digest' : this.#contents)),
    }
    try {
      const [counted] = await run(params)
      if (counted !== undefined) this.#watch.moved(tenant, id)
      if (counted?.ended_at != null && !needsSeveral(ask.electorate)) {
        const state = { kind: 'settled', ...vote, ...(isSecret ? { isSecret } : {}), atMs: counted.ended_at } as const
        return { kind: 'settled', ask: { ...ask, state } }
      }
    } catch (error) {
      if (error instanceof DuplicateKey && error.table === 'used_ids') return { kind: 'state-used' }
      // The step may have happened all the same: only a look can tell, and if that fails too nobody may claim a yes.
      const isUnclear = isAssentError(error, 'store_unavailable')
      const hasVoted = error instanceof DuplicateKey && error.table === 'votes'
      if (!isUnclear && !hasVoted) throw error
    }
    return this.#lookAgain(tenant, id, vote)
  }

  async #lookAgain(tenant: string, id: string, vote: Vote): Promise<Answered> {
    const found = await this.#readWithTime(tenant, id)
    if (found === undefined) return { kind: 'not-found' }
    return this.#explain(found.ask, vote, found.nowMs)
  }

  /** What became of a vote, told from the ask as it is now. */
  #explain(ask: Ask, vote: Vote, nowMs: number): Answered {
    const { state } = ask
    const mine = state.kind === 'settled' && state.decisionId === vote.decisionId ? state : undefined
    if (mine !== undefined) return isSame(mine, vote) ? { kind: 'settled', ask } : { kind: 'conflict' }

    const counted = ask.votes.find(({ decisionId }) => decisionId === vote.decisionId)
    if (counted !== undefined) return isSame(counted, vote) ? { kind: 'counted', ask } : { kind: 'conflict' }

    const moved = answerByTheRules(ask, vote, nowMs)
    if (moved.ok)
      throw new AssentError(
        'store_unavailable',
        `The answer to ask ${ask.id} could not be stored. Try again; if it fails again, run "assent audit verify".`,
      )
    if (moved.reason === 'already-voted' || moved.reason === 'no-cancel') return { kind: moved.reason }
    return { kind: 'ended', ask }
  }

  async #end(tenant: string, id: string, end: End): Promise<Ended> {
    const isDone = await this.#mark(tenant, id, end)
    const ask = await this.read(tenant, id)
    if (ask === undefined) return { kind: 'not-found' }
    if (ask.state.kind === 'open') return { kind: 'not-due' }
    return { kind: isDone ? 'done' : 'ended', ask }
  }

  async #withdrawAll(
    found: readonly WaitingKey[],
    statement: Statement<WithdrawParams, { id: string }>,
    reason: WithdrawReason,
  ): Promise<number> {
    let withdrawn = 0
    for (const { tenant, id, waits } of found) {
      const params = { tenant, id, waits, state: 'withdrawn', reason, ...this.#audit.body({ reason }) } as const
      if ((await this.#engine.runRepeatable(statement, params)).length === 0) continue
      withdrawn += 1
      this.#watch.moved(tenant, id)
    }
    return withdrawn
  }

  async #mark(tenant: string, id: string, end: End): Promise<boolean> {
    const body = this.#audit.body(end.reason === null ? {} : { reason: end.reason })
    const [ended] = await this.#engine.runRepeatable(endAsk, { tenant, id, ...end, ...body })
    if (ended !== undefined) this.#watch.moved(tenant, id)
    return ended !== undefined
  }

  /** Neither raised nor without room also when a row with this id is there already: the caller looks which. */
  async #raiseOnce(params: RaiseParams, approvers: number, atMost: OpenLimits | undefined): Promise<Raising> {
    if (atMost === undefined) {
      const [raised] = await addOnce(this.#engine, 'asks', raiseAsk(approvers), params)
      return { ...neither, ...raised }
    }
    if (await this.#openTotal.isFull(atMost.total)) return { ...neither, no_room: 'total' }
    const { perCaller, perServer, perTenant } = atMost
    const limits = { per_caller: perCaller, per_server: perServer, per_tenant: perTenant }
    const [told] = await addOnce(this.#engine, 'asks', raiseAskWithin(approvers), { ...params, ...limits })
    return told ?? neither
  }

  /**
   * An overdue ask is marked before anybody is told that it has expired: an answer that arrived in time may still be
   * waiting for its commit, and then the row, not the clock, says which of the two it was.
   */
  async #readWithTime(tenant: string, id: string): Promise<{ ask: Ask; nowMs: number } | undefined> {
    let [row] = await this.#engine.run(readAsk, { tenant, id })
    if (row?.state === 'open' && row.decide_by <= row.now) {
      await this.#mark(tenant, id, { state: 'expired', reason: null })
      ;[row] = await this.#engine.run(readAsk, { tenant, id })
    }
    return row === undefined ? undefined : { ask: await this.withVotes(row), nowMs: row.now }
  }

  /** The ask of a row that another query found, verified: a row that was changed outside Assent is never settled. */
  async withVotes(row: AskRow): Promise<Ask> {
    const { tenant, id } = row
    return this.#signatures.verified(row, () => this.#engine.run(readVotes, { tenant, ask_id: id }))
  }
}

/** What the caller has read, if it was open: whether it still is, the statement decides, and by its own clock. */
function openAsk({ tenant, id, ask }: AnswerRequest): { ask: Ask; nowMs: number } | undefined {
  const isIt = ask?.state.kind === 'open' && ask.tenant === tenant && ask.id === id
  return isIt ? { ask, nowMs: ask.raisedAtMs } : undefined
}

function isUnverified({ state }: Ask): boolean {
  return state.kind === 'withdrawn' && state.reason === 'unverified'
}

function asksFor({ question }: Ask, page: string): boolean {
  return question.kind === 'url' && question.secret?.page === page
}

function isSame(kept: KeptVote, vote: Vote): boolean {
  const digests = kept.deleted ?? answerDigests(kept.answer)
  return kept.by === vote.by && canonicalJson(digests) === canonicalJson(answerDigests(vote.answer))
}

function isOf(ask: Ask, draft: AskDraft): boolean {
  return ask.principal === draft.principal && canonicalJson(ask.question) === canonicalJson(draft.question)
}
