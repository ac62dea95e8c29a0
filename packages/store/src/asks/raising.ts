// Raises asks, within the limits on open asks.
//
// I1  Raising the same ask again, such as after a broken connection, returns the existing one.
// I2  An ask beyond a limit is not raised, and no open ask is dropped to make room for it.

import {
  type Ask,
  type AskDraft,
  AssentError,
  canonicalJson,
  draftProblem,
  type OpenLimitName,
  type OpenLimits,
  raise as raiseByRules,
  TooManyOpen,
} from '@assent/core'
import type { Audit } from '../audit/audit.ts'
import { type Engine, insertOnce } from '../engine/engine.ts'
import type { Notifier } from '../notify/notifier.ts'
import { type AuditContents, raisedBody } from './audit-body.ts'
import { listedFor } from './listed-for.ts'
import { OpenTotal } from './open-total.ts'
import { approverParam, type RaiseParams, raiseAsk, raiseAskWithin } from './raise-ask.ts'
import type { Signatures } from './signatures.ts'

interface RaisingOptions {
  readonly engine: Engine
  readonly audit: Audit
  readonly notifier: Notifier
  readonly contents: AuditContents
  readonly signatures: Signatures
  readonly read: (tenant: string, id: string) => Promise<Ask | undefined>
}

/** When the ask was raised, or which limit is reached. */
interface Outcome {
  readonly raised_at: number | null
  readonly limit_reached: OpenLimitName | null
}

const noOutcome: Outcome = { raised_at: null, limit_reached: null }

export class Raising {
  readonly #options: RaisingOptions
  readonly #openTotal: OpenTotal

  constructor(options: RaisingOptions) {
    this.#options = options
    this.#openTotal = new OpenTotal(options.engine)
  }

  async raise(
    draft: AskDraft,
    atMost: OpenLimits | undefined,
    waitsAt: string | undefined,
    isAnnounced: boolean,
  ): Promise<{ ask: Ask; isNew: boolean }> {
    const problem = draftProblem(draft)
    if (problem !== undefined) throw new AssentError('validation_failed', problem)

    const { notifier, read } = this.#options
    const params = this.#params(draft, waitsAt, isAnnounced)
    const count = listedFor(draft).length
    const outcome = await this.#tryOnce(params, count, atMost)
    if (outcome.raised_at !== null) {
      notifier.changed(draft.tenant, draft.id, listedFor(draft))
      return { ask: raiseByRules(draft, outcome.raised_at), isNew: true }
    }

    const ask = await read(draft.tenant, draft.id)
    if (ask === undefined && atMost !== undefined && outcome.limit_reached !== null) {
      throw new TooManyOpen(outcome.limit_reached, atMost, draft.asker.server)
    }
    if (ask === undefined || !isSameAsk(ask, draft)) {
      throw new AssentError('validation_failed', `There is another ask with the id ${draft.id}.`)
    }
    // The process that raised it may have failed before it notified the waiters.
    notifier.changed(draft.tenant, draft.id, listedFor(draft))
    return { ask, isNew: false }
  }

  #params(draft: AskDraft, waitsAt: string | undefined, isAnnounced: boolean): RaiseParams {
    const { audit, contents, signatures } = this.#options
    const { approvalRule, question } = draft
    const approvers = listedFor(draft).map((name, index) => [approverParam(index), name])
    return {
      tenant: draft.tenant,
      id: draft.id,
      server: draft.asker.server,
      tool: draft.asker.tool ?? null,
      principal: draft.principal,
      call_id: draft.callId ?? null,
      kind: question.kind,
      question: JSON.stringify(question),
      comment_reaches: draft.commentReaches ?? null,
      caller: draft.caller === undefined ? null : JSON.stringify(draft.caller),
      needs_presence: draft.needsPresence === true ? 1 : null,
      approval_rule: JSON.stringify(approvalRule),
      approvals_needed: approvalRule.approvals,
      declines_needed: approvalRule.declines,
      digest: question.kind === 'approval' ? question.digest : null,
      decide_within: draft.decideWithinMs,
      use_within: draft.useWithinMs,
      signature: signatures.ofAsk(draft),
      waits_at: waitsAt ?? null,
      wait_unknown: draft.isWaitUnknown === true ? 1 : null,
      announce: isAnnounced ? 1 : 0,
      ...audit.body(raisedBody(draft, contents)),
      ...Object.fromEntries(approvers),
    }
  }

  /** Returns `noOutcome` also if a row with this id exists already; the caller then reads that row. */
  async #tryOnce(params: RaiseParams, approvers: number, atMost: OpenLimits | undefined): Promise<Outcome> {
    const { engine } = this.#options
    if (atMost === undefined) {
      const [raised] = await insertOnce(engine, 'asks', raiseAsk(approvers), params)
      if (raised !== undefined) this.#openTotal.raised()
      return { ...noOutcome, ...raised }
    }
    const { perCaller, perServer, perTenant, total } = atMost
    const limits = { per_caller: perCaller, per_server: perServer, per_tenant: perTenant }
    const outcome = await this.#openTotal.within(total, async () => {
      const [value = noOutcome] = await insertOnce(engine, 'asks', raiseAskWithin(approvers), { ...params, ...limits })
      return { value, isRaised: value.raised_at !== null }
    })
    return outcome ?? { ...noOutcome, limit_reached: 'total' }
  }
}

function isSameAsk(ask: Ask, draft: AskDraft): boolean {
  return ask.principal === draft.principal && canonicalJson(ask.question) === canonicalJson(draft.question)
}
