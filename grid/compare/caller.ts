// The interface of a client in a comparison, for both SDKs, and what it records.
//
// A reply is taken from the wire as the SDK's transport received it, so that nothing the SDK drops or fills in can hide a
// difference. The SDK still decides what is sent, and when a connection has failed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@assent/core'
import type { Address } from '../../test-kit/mcp/address.ts'
import type { Generation } from '../messages.ts'

export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** How a request ended: a reply of the server, or the reason why there is none. */
export type Seen = { readonly result: JsonObject } | { readonly error: RpcFailure } | { readonly broken: string }

export interface Question {
  readonly method: string
  readonly params: JsonObject
}

/** Answers a server's question after the shortest time that a person takes. */
export type Answer = (question: Question) => JsonObject

/** The gateway rejects a faster answer without content: some clients accept automatically, without asking anyone. */
const personMs = 1_300

export async function answered(answer: Answer, question: Question): Promise<JsonObject> {
  if (question.method === 'elicitation/create') await sleep(personMs)
  return answer(question)
}

export interface RequestOptions {
  readonly signal?: AbortSignal
  /** Asks for progress. */
  readonly progress?: true
  readonly timeoutMs?: number
}

export interface Caller {
  readonly generation: Generation
  /** The server's description of itself. */
  readonly described: JsonObject
  readonly notifications: readonly Question[]
  readonly questions: readonly Question[]
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<Seen>
  notify(method: string, params?: JsonObject): Promise<void>
  /** Listens to updates of these resources; resolves with what ends that. */
  watch(uris: readonly string[]): Promise<() => Promise<Seen>>
  /** The lowest level of log messages to receive. */
  setLevel(level: string): Promise<Seen>
  close(): Promise<void>
}

export interface CallerOptions {
  readonly answer?: Answer
  readonly capabilities?: JsonObject
  /** For a server that supports only the first HTTP transport (HTTP+SSE). */
  readonly legacySse?: boolean
  /** Connecting also waits for the stream of the session, if there is one. */
  readonly waitsForStream?: boolean
  readonly timeoutMs?: number
}

export type ConnectCaller = (to: Address, options?: CallerOptions) => Promise<Caller>

/** Default timeout of a request. */
export const requestTimeoutMs = 60_000

export const everything: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } }

/** Accepts with empty content. */
export const acceptsAll: Answer = () => ({ action: 'accept', content: {} })
