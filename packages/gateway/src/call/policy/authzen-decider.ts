// Policies together with an external decision point that speaks AuthZEN.
//
// `additional`: a call that the policies allow or ask about also needs a permit of the decision point.
// `alternative`: the decision point is asked only about calls that no policy is about, or that none permits.
//
// I1  A deny of the policies always holds, and the decision point never removes an ask.
// I2  A decision point that does not answer, or not validly, denies the call (authzen.ts).
// I3  In `alternative`, a call for which some policy could not be evaluated stays denied: the policy might have asked.
// I4  A permit of the decision point for a tool whose definition changed needs the approval of the requester, like an allow.
// I5  Lists are made by the policies alone: the decision point is not asked which tools to show.

import { type ApprovalRequirement, type Approver, digestOf } from '@assent/core'
import {
  askAboutChange,
  authzenVote,
  type DecisionPoint,
  decisionPointName,
  type PolicyAsk,
  type PolicyCall,
  type PolicyDecision,
  type PolicyKind,
  type PolicyTarget,
} from '@assent/policy'
import type { PolicyDecider } from './policy-gate.ts'

export class AuthzenDecider implements PolicyDecider {
  readonly #policies: PolicyDecider
  readonly #point: DecisionPoint
  readonly #onError: (error: Error) => void

  /** @param onError gets the reason when the decision point gave no valid answer */
  constructor(policies: PolicyDecider, point: DecisionPoint, onError: (error: Error) => void) {
    this.#policies = policies
    this.#point = point
    this.#onError = onError
  }

  get digest(): string {
    const { mode, endpoint } = this.#point
    return digestOf('policy set with decision point v1', { policies: this.#policies.digest, mode, url: endpoint.href })
  }

  get excludesRequester(): boolean {
    return this.#policies.excludesRequester
  }

  get owners(): readonly Approver[] {
    return this.#policies.owners
  }

  get pinsDescriptions(): boolean {
    return this.#policies.pinsDescriptions
  }

  covers(): boolean {
    return true
  }

  hides(kind: PolicyKind): boolean {
    return this.#point.mode === 'additional' && this.#policies.covers(kind)
  }

  async decide(call: PolicyCall, stop?: AbortSignal): Promise<PolicyDecision> {
    const own = await this.#policies.decide(call)
    if (!this.#isAskedAfter(own)) return own
    const vote = await authzenVote(call, this.#point, stop)
    if (!vote.permits) {
      if (!vote.isAnswer && stop?.aborted !== true)
        this.#onError(
          new Error(`The AuthZEN decision point ${this.#point.endpoint.origin} denied a call. ${vote.reason}`),
        )
      const errors = vote.isAnswer ? [] : [{ policy: decisionPointName, message: vote.reason }]
      const because = vote.isAnswer ? 'forbidden' : 'failed'
      return { effect: 'deny', because, policies: [decisionPointName], errors: [...own.errors, ...errors] }
    }
    if (own.effect !== 'deny') return askAboutChange({ ...own, policies: [...own.policies, decisionPointName] }, call)
    return askAboutChange({ effect: 'allow', policies: [decisionPointName], errors: own.errors }, call)
  }

  #isAskedAfter(own: PolicyDecision): boolean {
    if (this.#point.mode === 'additional') return own.effect !== 'deny'
    const isUntouched = own.effect === 'allow' && own.policies.length === 0
    return isUntouched || (own.effect === 'deny' && own.because === 'not-permitted' && own.errors.length === 0)
  }

  dryRun(call: PolicyCall): PolicyDecision | undefined {
    return this.#policies.dryRun(call)
  }

  requirementsOf(asks: readonly PolicyAsk[], requester: string): readonly ApprovalRequirement[] {
    return this.#policies.requirementsOf(asks, requester)
  }

  neverAllowed(person: PolicyCall['person'], target: PolicyTarget): boolean {
    return this.#point.mode === 'additional' && this.#policies.neverAllowed(person, target)
  }

  timeAt(nowMs: number): PolicyCall['time'] {
    return this.#policies.timeAt(nowMs)
  }
}
