// The layers that a call passes through between the two adapters, and what they agree on.
//
//   client adapter ─▶ routing (route/) ─▶ recorded calls (hold/) ─▶ relay ─▶ server adapter

import type { TooManyOpen } from '@assent/core'
import type { RelayState } from './call-state.ts'
import type { Call, Exchange, InputResponse, Outcome } from './model.ts'
import type { ShutdownPhase } from './shutdown.ts'

/** The layer below routing: the relay itself, or calls that are recorded in the store. */
export interface CallLayer extends Exchange<RelayState> {
  /** A limit on open asks is reached: a server that waits for the answers gets an error; otherwise the call ends. */
  refuse(call: Call, state: RelayState, error: TooManyOpen): Promise<Outcome<RelayState>>
  /** Records the call, so that its questions are withdrawn when this process dies. Returns the call's id. */
  record?(state: RelayState): Promise<string>
}

/** How long, and in which way, a caller can wait for the inbox. */
export interface CallerWait {
  /** How long this request may be held. */
  readonly forMs: number
  /**
   * Whether the caller sends the request again when the reply asks for it. Dropping such a request ends nothing here;
   * the adapter knows whether the caller already has a state to retry with (`abandon`).
   */
  readonly canRetry: boolean
  /** Set when an earlier reply gave the caller a state or a handle: then other requests may send the same round. */
  readonly retry?: Retry
  /**
   * The shutdown phase in which the caller moves to another replica. Undefined for a caller that stays until the end.
   */
  readonly goesAt?: ShutdownPhase
}

export interface Retry {
  /**
   * Whether a claimed round runs to its end when this request is dropped: over HTTP that may be a lost connection, and
   * the caller retries to get the outcome. Otherwise the server gets a cancellation.
   */
  readonly runsOn: boolean
}

/** A client's answer, as routing takes it. */
export type TimedResponse = {
  /** Undefined when the inbox was faster, or is the only surface from now on. */
  readonly given?: InputResponse
  /** Time since the client was asked. Undefined when unknown; then the answer is accepted as a person's. */
  readonly afterMs?: number
}

export type TimedResponses = Readonly<Record<string, TimedResponse>>
