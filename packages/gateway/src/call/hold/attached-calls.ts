// Calls whose callers stay connected until the call ends. They have a row only while a person is asked in the inbox.
//
// Owns: this replica's table of attached calls.
// I1  A call is recorded before its question is raised, so that the question is withdrawn when this process dies.
// I2  A call that other replicas ended, because this one did not renew its lease in time, is not continued.
// I3  A row that is written after its request has ended does not stay, and none is begun then.
// I4  When the request ends while a server still waits inside the call, the server gets a cancellation.

import { newId, type WithdrawReason } from '@assent/core'
import { randomBytes } from '../../protocol/random.ts'
import type { RelayState } from '../call-state.ts'
import type { CallLayer } from '../layers.ts'
import { type Call, heldId, type Outcome } from '../model.ts'
import { type Leases, withdrawReasonOf } from './leases.ts'
import { cancelAtServer, draftOf, isHeld, leaseLost, lost } from './lost-calls.ts'
import type { PendingOutcomes } from './pending-outcomes.ts'

/** The call layer of a request whose caller stays connected until the call ends. */
export interface AttachedCall extends CallLayer {
  record(state: RelayState): Promise<string>
  /** Called after this error: the call's effects are unknown, so the call and its asks are abandoned. */
  abandon(error: unknown): void
  /** The call has ended, or continues without its caller. */
  end(): void
}

export class AttachedCalls {
  readonly #relay: CallLayer
  readonly #leases: Leases
  readonly #pendingOutcomes: PendingOutcomes
  readonly #isHeldHere: (id: string) => boolean
  readonly #onError: (error: unknown) => void
  /** Tenant by call id. */
  readonly #calls = new Map<string, string>()

  /** @param isHeldHere whether a deferred call has adopted the call with this id */
  constructor(
    relay: CallLayer,
    leases: Leases,
    pendingOutcomes: PendingOutcomes,
    isHeldHere: (id: string) => boolean,
    onError: (error: unknown) => void,
  ) {
    this.#relay = relay
    this.#leases = leases
    this.#pendingOutcomes = pendingOutcomes
    this.#isHeldHere = isHeldHere
    this.#onError = onError
  }

  get ids(): readonly string[] {
    return [...this.#calls.keys()]
  }

  /** Id and tenant of each call, with those that are recorded while this is read. */
  get all(): Iterable<readonly [id: string, tenant: string]> {
    return this.#calls
  }

  has(id: string): boolean {
    return this.#calls.has(id)
  }

  /** True when the call was attached here. Its row stays. */
  remove(id: string): boolean {
    return this.#calls.delete(id)
  }

  /** The call layer for one request. */
  of(call: Call): AttachedCall {
    let id: string | undefined
    let recording: Promise<string> | undefined
    let isRecorded = false
    let hasFailed = false
    let hasEnded = false
    let reason: WithdrawReason = 'owner-lost'
    let held: RelayState | undefined
    const followed = (outcome: Outcome<RelayState>) => {
      held = isHeld(outcome) ? outcome.state : undefined
      return outcome
    }
    const record = async (state: RelayState): Promise<string> => {
      // A write that failed may still arrive and is then abandoned, so the next one needs another id.
      const begun = (hasFailed ? undefined : heldId(state.inner)) ?? newId('call', Date.now(), randomBytes)
      id = begun
      this.#calls.set(begun, call.tenant)
      try {
        // Its caller never retries, so the digest of the request is not compared.
        await this.#leases.begin(draftOf(call, begun, state.server, ''), () => {
          // The request may have ended while the row was written, such as by an answer of the client.
          if (!this.#calls.has(begun) && !this.#isHeldHere(begun))
            this.#leases.abandon({ tenant: call.tenant, id: begun }, reason)
        })
      } catch (error) {
        hasFailed = true
        recording = undefined
        this.remove(begun)
        throw error
      }
      isRecorded = true
      return begun
    }
    return {
      start: async (inner) => followed(await this.#relay.start(inner)),
      continue: async (inner, state, given) => {
        if (isRecorded && !this.#calls.has(id ?? '') && !this.#isHeldHere(id ?? '')) return leaseLost
        return followed(await this.#relay.continue(inner, state, given))
      },
      refuse: async (inner, state, error) => followed(await this.#relay.refuse(inner, state, error)),
      record: (state) => {
        // Such as by the timer of a question that the client had not answered.
        if (hasEnded) return Promise.reject(new Error('The request of this call has ended, so it asks nothing more.'))
        recording ??= record(state)
        return recording
      },
      abandon: (error) => {
        if (id === undefined || !this.remove(id)) return
        reason = withdrawReasonOf(error)
        this.#leases.abandon({ tenant: call.tenant, id }, reason)
      },
      end: () => {
        hasEnded = true
        // The caller gets nothing more from it, and no deferred call adopted it.
        if (held !== undefined && !this.#isHeldHere(heldId(held.inner) ?? ''))
          cancelAtServer(this.#relay, call, held).catch(this.#onError)
        if (id !== undefined && this.remove(id))
          this.#pendingOutcomes.store(id, { tenant: call.tenant, outcome: lost, asks: [] })
      },
    }
  }

  /** The calls are no longer attached: their rows have been ended, or others end them. */
  clear(): void {
    this.#calls.clear()
  }
}
