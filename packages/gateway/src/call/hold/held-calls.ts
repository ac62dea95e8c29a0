// Calls that a server keeps open while their caller has been asked to retry.
//
// Owns: this replica's table of held and attached calls, and the renewal of their leases.
// Does not own: where a question is shown (route/), or the connection to the server (servers/).
// I1  A call is a row with an owner and a lease before its questions are sent; its questions are asks in the store.
// I2  An outcome is stored before it is returned, so a caller whose connection broke can fetch it again.
// I3  A caller that retries at another replica has the owner continue the call (forwarding.ts).
// I4  When the owner dies its lease expires, and the caller gets an error instead of waiting.

import { isTooManyOpen, newId, type TooManyOpen, type WithdrawReason } from '@assent/core'
import type { AnswerResult, Store } from '@assent/store'
import type { Mailbox } from '../../cluster/mailbox.ts'
import { relayLimits } from '../../limits.ts'
import { errorCodes } from '../../protocol/messages.ts'
import { randomBytes } from '../../protocol/random.ts'
import { parseExactly } from '../../protocol/server-messages.ts'
import { type Call, failed, heldId, type InputResponse, type Outcome } from '../model.ts'
import { calledBy, type Relay } from '../relay.ts'
import type { RelayState } from '../relay-state.ts'
import { type GatewayWait, storedWaitMs } from '../route/ask-deadline.ts'
import { deliver } from '../route/delivery.ts'
import { answerOf, givenOf, isSecretState, raiseAsk } from '../route/inbox-asks.ts'
import type { CallLayer } from '../route/routing.ts'
import type { RoutingState } from '../route/routing-state.ts'
import { issuesInWords, secretAnswer, unfit } from '../screen/screen-questions.ts'
import type { Shutdown } from '../shutdown.ts'
import { Forwarding, type NeedsInput, type RemoteCallState } from './forwarding.ts'
import { Leases } from './leases.ts'
import { PendingOutcomes } from './pending-outcomes.ts'

/** The outcome of a call whose process died. */
export const lostWords =
  'The gateway process that held this call has stopped. Whether the call did anything is not known: check before calling it again.'
export const lost: Outcome = failed(errorCodes.refused, lostWords)

interface HeldCall {
  readonly tenant: string
  readonly principal: string
  readonly requestDigest: string
  /** The ask of each question by its key. */
  readonly asks: Map<string, string>
}

/** The call layer of one request. */
export interface StartedCall extends CallLayer {
  /** Ends a call that was started here and whose caller got no state to retry with. */
  release(reason: WithdrawReason): void
}

/** The call layer of a request whose caller stays connected until the call ends. */
export interface AttachedCall extends CallLayer {
  record(resume: RelayState): Promise<string>
  /** Called after an error: the call's effects are unknown, so the call and its asks are abandoned. */
  abandon(): void
  /** The call has ended, or continues without its caller. `outcome` is passed when it is not stored elsewhere. */
  end(outcome?: Outcome): void
}

export class HeldCalls {
  readonly #store: Store
  readonly #relay: Relay
  readonly #wait: GatewayWait
  readonly #onError: (error: unknown) => void
  readonly #owner: string
  readonly #forwarding: Forwarding
  readonly #mailbox: Mailbox
  /** The calls that this replica holds. */
  readonly #held = new Map<string, HeldCall>()
  /** Recorded calls whose callers are connected here: tenant by call id. */
  readonly #attached = new Map<string, string>()
  /**
   * Calls being continued now. One request at a time: the end of a call is the end for every request that waits for it.
   */
  readonly #continuing = new Map<string, Promise<void>>()
  readonly #leases: Leases
  readonly #pendingOutcomes: PendingOutcomes
  #isClosed = false
  readonly #beat: NodeJS.Timeout

  constructor(
    store: Store,
    relay: Relay,
    wait: GatewayWait,
    mailbox: Mailbox,
    shutdown: Shutdown,
    onError: (error: unknown) => void,
  ) {
    this.#owner = mailbox.replica
    this.#leases = new Leases(store, this.#owner)
    this.#pendingOutcomes = new PendingOutcomes(store, this.#owner, onError)
    this.#mailbox = mailbox
    this.#forwarding = new Forwarding(
      mailbox,
      (call, resume, given, digest) => this.#continueFor(call, resume, given, digest),
      shutdown,
      onError,
    )
    this.#store = store
    this.#relay = relay
    this.#wait = wait
    this.#onError = onError
    this.#beat = setInterval(() => void this.#renewLeases(), relayLimits.renewEveryMs)
    this.#beat.unref()
  }

  /** Number of calls that this replica holds. */
  get size(): number {
    return this.#held.size
  }

  /** The call layer for one request. Calls that a server holds are recorded. */
  below(requestDigest: string): StartedCall {
    let began: { readonly call: Call; readonly resume: RelayState } | undefined
    return {
      start: async (call) => {
        const outcome = await this.#relay.start(call)
        if (isHeld(outcome)) began = { call, resume: outcome.resume as RelayState }
        return this.#begun(call, outcome, requestDigest)
      },
      continue: (call, resume, given) => this.#continue(call, resume, given, requestDigest),
      refuse: async (call, resume, error) =>
        this.#begun(call, await this.#relay.refuse(call, resume, error), requestDigest),
      release: (reason) => {
        if (began !== undefined && this.#held.has(heldId(began.resume.inner) ?? ''))
          this.#dropHeld(began.call, began.resume, reason)
      },
    }
  }

  /**
   * The call layer for one request whose caller stays connected. If a question goes to the inbox the call is recorded,
   * so that the question is withdrawn when this process dies.
   */
  inPlace(call: Call): AttachedCall {
    let id: string | undefined
    let held: RelayState | undefined
    const followed = (outcome: Outcome) => {
      held = isHeld(outcome) ? (outcome.resume as RelayState) : undefined
      return outcome
    }
    return {
      start: async (inner) => followed(await this.#relay.start(inner)),
      continue: async (inner, resume, given) => followed(await this.#relay.continue(inner, resume, given)),
      refuse: async (inner, resume, error) => followed(await this.#relay.refuse(inner, resume, error)),
      record: async (resume) => {
        if (id !== undefined) return id
        id = heldId(resume.inner) ?? newId('call', Date.now(), randomBytes)
        this.#attached.set(id, call.tenant)
        // Its caller never retries, so the digest of the request is not compared.
        await this.#leases.begin(draftOf(call, id, resume.server, ''), () => undefined)
        return id
      },
      // The next heartbeat finds its row, which this replica no longer holds, and abandons it.
      abandon: () => void this.#attached.delete(id ?? ''),
      end: ({ isStreamed: _streamed, ...outcome } = lost) => {
        // The caller gets nothing more from it, and no deferred call adopted it.
        if (held !== undefined && !this.#held.has(heldId(held.inner) ?? '')) this.#releaseHeld(call, held)
        if (id !== undefined && this.#attached.delete(id))
          this.#pendingOutcomes.store(id, { tenant: call.tenant, outcome, asks: [] })
      },
    }
  }

  /** Takes over a call whose caller stopped waiting, if a server waits inside it. */
  async adopt(call: Call, state: RoutingState, over: Promise<void> | undefined, requestDigest: string): Promise<void> {
    const id = heldId(state.resume.inner)
    if (id === undefined || this.#held.has(id)) return
    const asks = new Map(Object.entries(state.inInbox))
    if (this.#attached.delete(id)) this.#hold(call, id, requestDigest, asks)
    else await this.#begin(call, id, state.resume.server, requestDigest, asks)
    over?.then(() => this.#finishWithoutCaller(call, state.resume, id)).catch(this.#onError)
  }

  /** The id of the call to continue: the one held here, or the new one, which is recorded first. */
  async recordOf(resume: RelayState, running: AttachedCall): Promise<string> {
    const id = heldId(resume.inner)
    return id !== undefined && this.#held.has(id) ? id : running.record(resume)
  }

  /** Whether this replica can continue the call: no server holds it, or it is held here. */
  canContinue(resume: RelayState): boolean {
    const id = heldId(resume.inner)
    return id === undefined || this.#held.has(id)
  }

  async #begun(call: Call, outcome: Outcome, requestDigest: string): Promise<Outcome> {
    if (!isHeld(outcome)) return outcome
    try {
      return await this.#holdForAnswers(call, outcome, requestDigest)
    } catch (error) {
      this.#dropHeld(call, outcome.resume as RelayState)
      throw error
    }
  }

  /** The caller has no state to retry with, so the call at the server is cancelled and its asks are withdrawn. */
  #dropHeld(call: Call, resume: RelayState, reason: WithdrawReason = 'owner-lost'): void {
    this.#releaseHeld(call, resume)
    const id = heldId(resume.inner) ?? ''
    const held = this.#held.get(id)
    this.#held.delete(id)
    this.#pendingOutcomes.store(id, {
      tenant: call.tenant,
      outcome: lost,
      asks: [...(held?.asks.values() ?? [])],
      reason,
    })
  }

  /** Cancels the call at the server. */
  #releaseHeld(call: Call, resume: RelayState): void {
    const left = { ...call, notify: () => undefined, signal: AbortSignal.abort() }
    this.#relay.continue(left, resume, {}).catch(this.#onError)
  }

  /** Continues a call that is held here, or whose state the caller carries. */
  async #continue(
    call: Call,
    resume: RelayState,
    given: Readonly<Record<string, InputResponse>>,
    requestDigest: string,
  ): Promise<Outcome> {
    const id = heldId(resume.inner)
    if (id === undefined) return this.#begun(call, await this.#relay.continue(call, resume, given), requestDigest)
    for (let other = this.#continuing.get(id); other !== undefined; other = this.#continuing.get(id)) await other
    await this.#pendingOutcomes.settle(id)
    if (!this.#held.has(id)) return this.#continueElsewhere(call, id, resume, given, requestDigest)
    return this.#exclusively(id, async () => {
      const recorded = await this.#record(call, id, resume.server, given)
      const { tenant } = call
      const asks = this.#held.get(id)?.asks ?? new Map<string, string>()
      const delivering = { store: this.#store, tenant, asks, onError: this.#onError }
      const outcome = await deliver(delivering, recorded, () => this.#relay.continue(call, resume, recorded))
      return outcome.kind === 'input-required'
        ? await this.#holdForAnswers(call, outcome, requestDigest)
        : await this.#finish(call, id, outcome)
    })
  }

  async #exclusively<Value>(id: string, work: () => Promise<Value>): Promise<Value> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#continuing.set(id, promise)
    try {
      return await work()
    } finally {
      this.#continuing.delete(id)
      resolve()
    }
  }

  /** Forwards the request to the replica that holds the call, and waits for the outcome. */
  async #continueElsewhere(
    call: Call,
    id: string,
    resume: RelayState,
    given: Readonly<Record<string, InputResponse>>,
    requestDigest: string,
  ): Promise<Outcome> {
    const row = await this.#store.calls.read(call.tenant, id, call.principal)
    if (row?.state.kind !== 'running' || row.owner === this.#owner) return this.#storedOutcome(call, id)
    const isOver = async () => (await this.#store.calls.read(call.tenant, id, call.principal))?.state.kind !== 'running'
    const state = await this.#forwarding.continueAt(row.owner, call, resume, given, requestDigest, isOver)
    return state?.kind === 'input-required' ? state : this.#storedOutcome(call, id)
  }

  /** Continues a call for a caller whose request reached another replica. */
  async #continueFor(
    call: Call,
    resume: RelayState,
    given: Readonly<Record<string, InputResponse>>,
    requestDigest: string,
  ): Promise<RemoteCallState | undefined> {
    const id = heldId(resume.inner) ?? ''
    await this.#pendingOutcomes.settle(id)
    const held = this.#held.get(id)
    // Not held here, or of another tenant: the caller reads the row for the outcome.
    if (held === undefined || held.tenant !== call.tenant) return { kind: 'ended' }
    if (held.principal !== call.principal || held.requestDigest !== requestDigest) return undefined
    const outcome = await this.#continue(call, resume, given, requestDigest)
    return outcome.kind === 'input-required' ? outcome : { kind: 'ended' }
  }

  /** Records every held call as lost, so that a caller that retries at another replica gets an error at once. */
  async close(): Promise<void> {
    clearInterval(this.#beat)
    this.#isClosed = true
    for (const [id, { tenant, asks }] of this.#held) {
      await this.#store.calls.finish(tenant, id, this.#owner, JSON.stringify(lost)).catch(this.#onError)
      for (const ask of asks.values()) await this.#store.asks.withdraw(tenant, ask, 'owner-lost').catch(this.#onError)
    }
    this.#held.clear()
    for (const [id, tenant] of this.#attached) {
      await this.#store.calls.finish(tenant, id, this.#owner, JSON.stringify(lost)).catch(this.#onError)
    }
    this.#attached.clear()
    await this.#pendingOutcomes.settleAll().catch(this.#onError)
  }

  /** @param refusals how often a limit on open asks was reached for this call */
  async #holdForAnswers(call: Call, outcome: NeedsInput, requestDigest: string, refusals = 0): Promise<Outcome> {
    const resume = outcome.resume as RelayState
    const id = heldId(resume.inner)
    if (id === undefined) return outcome
    if (!this.#held.has(id)) await this.#begin(call, id, resume.server, requestDigest, new Map())
    const { asks } = this.#held.get(id) ?? { asks: new Map<string, string>() }
    const { server, round } = resume
    const raising = { server, isHeld: true, callId: id, room: this.#relay.asking, round }
    try {
      // Every stored ask is shown in the inbox.
      const isKept = !this.#relay.asking.isClientOnly(server)
      for (const [key, wanted] of Object.entries(isKept ? outcome.wanted : {})) {
        if (asks.has(key)) continue
        const waitMs = storedWaitMs(this.#wait, call, wanted, resume, this.#store.nowMs())
        const ask = await raiseAsk(this.#store, calledBy(call, resume.target), wanted, { ...raising, waitMs })
        if (ask !== undefined) asks.set(key, ask)
      }
    } catch (error) {
      if (!isTooManyOpen(error)) throw error
      return this.#noRoom(call, outcome, requestDigest, error, refusals)
    }
    outcome.over?.then(() => this.#finishWithoutCaller(call, resume, id)).catch(this.#onError)
    return { ...outcome, asks: Object.fromEntries(asks) }
  }

  /** Returns the limit error to the server, which continues: to its end, or with other questions. */
  async #noRoom(
    call: Call,
    outcome: NeedsInput,
    requestDigest: string,
    error: TooManyOpen,
    refusals: number,
  ): Promise<Outcome> {
    const resume = outcome.resume as RelayState
    const id = heldId(resume.inner) ?? ''
    const asks = this.#held.get(id)?.asks
    for (const key of Object.keys(outcome.wanted)) {
      const ask = asks?.get(key)
      if (ask !== undefined) await this.#store.asks.withdraw(call.tenant, ask, 'undeliverable')
      asks?.delete(key)
    }
    const next = await this.#relay.refuse(call, resume, error)
    if (next.kind !== 'input-required') return this.#finish(call, id, next)
    if (refusals < relayLimits.roundsPerCall) return this.#holdForAnswers(call, next, requestDigest, refusals + 1)
    this.#dropHeld(call, next.resume as RelayState)
    return failed(errorCodes.refused, error.message)
  }

  async #begin(
    call: Call,
    id: string,
    server: string,
    requestDigest: string,
    asks: Map<string, string>,
  ): Promise<void> {
    await this.#leases.begin(draftOf(call, id, server, requestDigest), () => {
      this.#hold(call, id, requestDigest, asks)
    })
  }

  #hold({ tenant, principal }: Call, id: string, requestDigest: string, asks: Map<string, string>): void {
    this.#held.set(id, { tenant, principal, requestDigest, asks })
    // Its caller may retry at any replica.
    this.#mailbox.open()
  }

  /** Settles the asks and returns the answers that the store accepted: each ask is settled once. */
  async #record(
    call: Call,
    id: string,
    server: string,
    given: Readonly<Record<string, InputResponse>>,
  ): Promise<Record<string, InputResponse>> {
    const refusesSecrets = !this.#relay.asking.allowsSecrets(server)
    const recorded: [string, InputResponse][] = []
    for (const [key, answer] of Object.entries(given)) {
      const ask = this.#held.get(id)?.asks.get(key)
      if (ask === undefined) {
        recorded.push([key, answer])
        continue
      }
      const person = { principal: call.principal, groups: [] }
      const request = { tenant: call.tenant, id: ask, person, via: 'client', refusesSecrets } as const
      const answered = await this.#store.asks.answer({
        ...request,
        answer: 'result' in answer ? answerOf(answer.result) : { action: 'cancel' },
      })
      if (answered.kind === 'settled') recorded.push([key, answer])
      // This process sends the secret to the server, so the store need not keep it.
      if (answered.kind === 'settled' && isSecretState(answered.ask))
        await this.#store.asks.deleteSecret(call.tenant, ask)
      // The inbox answered first, and that answer counts.
      if (answered.kind === 'ended') recorded.push([key, givenOf(answered.ask)])
      if (answered.kind === 'invalid' || answered.kind === 'malformed' || answered.kind === 'looks-secret') {
        await this.#store.asks.answer({ ...request, answer: { action: 'cancel' } })
        recorded.push([key, replacementFor(answered)])
      }
    }
    return Object.fromEntries(recorded)
  }

  async #finish(call: Call, id: string, outcome: Outcome): Promise<Outcome> {
    const { isStreamed: _streamed, ...kept } = outcome
    const finishing = this.#store.calls.finish(call.tenant, id, this.#owner, JSON.stringify(kept))
    const isOurs = await finishing
      .catch((error: unknown) => {
        this.#pendingOutcomes.add(id, { tenant: call.tenant, outcome: kept, asks: [] })
        throw error
      })
      .finally(() => this.#held.delete(id))
    if (!isOurs) return this.#storedOutcome(call, id)
    this.#store.calls.delivered(call.tenant, id).catch(this.#onError)
    return outcome
  }

  /** The stored outcome of a call that is not held here. */
  async #storedOutcome(call: Call, id: string): Promise<Outcome> {
    const row = await this.#store.calls.read(call.tenant, id, call.principal)
    if (row?.state.kind !== 'finished') return lost
    await this.#store.calls.delivered(call.tenant, id)
    return parseExactly(row.state.outcome) as Outcome
  }

  /** The server stopped waiting. The caller may still retry to get the outcome. */
  async #finishWithoutCaller(call: Call, resume: RelayState, id: string): Promise<void> {
    if (this.#isClosed || this.#continuing.has(id) || !this.#held.has(id)) return
    await this.#exclusively(id, async () => {
      // If the store is unavailable the asks end by their deadline or with their call.
      for (const ask of this.#held.get(id)?.asks.values() ?? [])
        await this.#withdrawStopped(call.tenant, ask).catch(this.#onError)
      const detached = { ...call, notify: () => undefined, signal: new AbortController().signal }
      const outcome = await this.#relay.continue(detached, resume, {})
      if (outcome.kind === 'input-required')
        outcome.over?.then(() => this.#finishWithoutCaller(call, resume, id)).catch(this.#onError)
      else await this.#finish(call, id, outcome)
    })
  }

  /** Withdraws an ask whose server stopped waiting. A person who answered just before gets "too late". */
  async #withdrawStopped(tenant: string, id: string): Promise<void> {
    const ended = await this.#store.asks.withdraw(tenant, id, 'asker-stopped')
    if (ended.kind === 'ended' && ended.ask.state.kind === 'settled') {
      await this.#store.asks.undelivered(tenant, id, false)
    }
  }

  /** Renews the leases of the calls that are held here. */
  async #renewLeases(): Promise<void> {
    try {
      const calls = [this.#held, this.#attached]
      const held = calls.flatMap((some) => [...some.keys()])
      const gone = await this.#leases.renew(
        held,
        (id) => this.#pendingOutcomes.has(id) || calls.some((some) => some.has(id)),
      )
      for (const id of gone) for (const some of calls) some.delete(id)
      await this.#pendingOutcomes.settleAll()
    } catch (error) {
      this.#onError(error)
    }
  }
}

/** The answer that the server gets in place of one that the store rejected. */
function replacementFor(answered: AnswerResult & { kind: 'invalid' | 'malformed' | 'looks-secret' }): InputResponse {
  if (answered.kind === 'looks-secret') return secretAnswer
  return unfit(answered.kind === 'invalid' ? issuesInWords(answered.issues) : answered.message)
}

function draftOf({ tenant, principal, method }: Call, id: string, server: string, requestDigest: string) {
  return { tenant, id, principal, server, method, requestDigest }
}

function isHeld(outcome: Outcome): outcome is NeedsInput {
  return outcome.kind === 'input-required' && outcome.over !== undefined
}
