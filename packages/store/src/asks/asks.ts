// Asks as the rest of Assent uses them: raise, read, answer, end, wait.
//
// The rules are core's and the lock is the database's: this module reads an ask, lets core judge, runs the one statement
// that decides, and when that changed nothing looks again and says what happened instead. Question and electorate never
// change once raised, so judging them before the statement is safe.

import {
  type Ask,
  type AskDraft,
  AssentError,
  answer as answerByTheRules,
  type ContentIssue,
  canonicalJson,
  draftProblem,
  type Full,
  isAssentError,
  judgeAnswer,
  mayDecide,
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
import { randomBytes } from '../random.ts'
import type { Watch } from '../wake/watch.ts'
import { type AnswerParams, answerAsk, type Counted } from './answer-ask.ts'
import { type AskRow, askFromRow, voteFromRow } from './ask-row.ts'
import { type AuditContents, answeredBody, raisedBody } from './audit-body.ts'
import { endAsk } from './end-ask.ts'
import { handOver } from './hand-over.ts'
import { OpenTotal } from './open-total.ts'
import { approverParam, type RaiseParams, raiseAsk, raiseAskWithin } from './raise-ask.ts'
import { readAsk } from './read-ask.ts'
import { readVotes } from './read-votes.ts'
import type { Told } from './room.ts'

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

type End = { readonly state: 'expired' | 'withdrawn'; readonly reason: WithdrawReason | null }

export class Asks {
  readonly #engine: Engine
  readonly #audit: Audit
  readonly #watch: Watch
  readonly #contents: AuditContents
  readonly #openTotal: OpenTotal

  constructor(engine: Engine, audit: Audit, watch: Watch, contents: AuditContents) {
    this.#engine = engine
    this.#audit = audit
    this.#watch = watch
    this.#contents = contents
    this.#openTotal = new OpenTotal(engine)
  }

  /**
   * Opens an ask. The same ask raised again, after an unclear failure, is the same ask.
   *
   * @param atMost asks that may be open with it; one more throws `TooManyOpen`, and is not raised
   */
  async raise(draft: AskDraft, atMost?: OpenLimits): Promise<Ask> {
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
      electorate: JSON.stringify(electorate),
      approvals_needed: electorate.approvals,
      declines_needed: electorate.declines,
      digest: question.kind === 'approval' ? question.digest : null,
      decide_within: draft.decideWithinMs,
      use_within: draft.useWithinMs,
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

  /** Gives an ask its answer, or one of the answers it needs. */
  async answer(request: AnswerRequest): Promise<Answered> {
    const { tenant, id, person, via } = request
    const found = openAsk(request) ?? (await this.#readWithTime(tenant, id))
    if (found === undefined || !mayDecide(found.ask.electorate, person)) return { kind: 'not-found' }
    const judged = judgeAnswer(found.ask.question, request.answer)
    if (!judged.ok) {
      if (found.ask.state.kind !== 'open') return { kind: 'ended', ask: found.ask }
      return judged.reason === 'invalid'
        ? { kind: 'invalid', issues: judged.issues }
        : { kind: 'malformed', message: judged.message }
    }

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

  async withdraw(tenant: string, id: string, reason: WithdrawReason): Promise<Ended> {
    return this.#end(tenant, id, { state: 'withdrawn', reason })
  }

  /** Marks an ask whose deadline has passed. It had ended for every reader already; now it is recorded too. */
  async expire(tenant: string, id: string): Promise<Ended> {
    return this.#end(tenant, id, { state: 'expired', reason: null })
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
    const params = {
      tenant,
      id,
      action: vote.answer.action,
      answer: JSON.stringify(vote.answer),
      voter: vote.by,
      via: vote.via,
      decision_id: vote.decisionId,
      grant_id: newId('grant', Date.now(), randomBytes),
      state_id: state?.id ?? null,
      state_expires_at: state?.expiresAtMs ?? null,
      ...this.#audit.body(answeredBody(vote, this.#contents)),
    }
    try {
      const [counted] = await run(params)
      if (counted !== undefined) this.#watch.moved(tenant, id)
      if (counted?.ended_at != null && !needsSeveral(ask.electorate)) {
        return { kind: 'settled', ask: { ...ask, state: { kind: 'settled', ...vote, atMs: counted.ended_at } } }
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
      throw new AssentError('store_unavailable', `The answer to ask ${ask.id} could not be kept. Try again.`)
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

  /** For reading rows that another query found. */
  async withVotes(row: AskRow): Promise<Ask> {
    const ask = askFromRow(row)
    if (!needsSeveral(ask.electorate)) return ask
    const votes = await this.#engine.run(readVotes, { tenant: row.tenant, ask_id: row.id })
    return { ...ask, votes: votes.map(voteFromRow) }
  }
}

/** What the caller has read, if it was open: whether it still is, the statement decides, and by its own clock. */
function openAsk({ tenant, id, ask }: AnswerRequest): { ask: Ask; nowMs: number } | undefined {
  const isIt = ask?.state.kind === 'open' && ask.tenant === tenant && ask.id === id
  return isIt ? { ask, nowMs: ask.raisedAtMs } : undefined
}

function asksFor({ question }: Ask, page: string): boolean {
  return question.kind === 'url' && question.secret?.page === page
}

function isSame(kept: Vote, vote: Vote): boolean {
  return kept.by === vote.by && canonicalJson(kept.answer) === canonicalJson(vote.answer)
}

function isOf(ask: Ask, draft: AskDraft): boolean {
  return ask.principal === draft.principal && canonicalJson(ask.question) === canonicalJson(draft.question)
}
