// What a comparison needs of a client, whichever SDK it is made of, and what it sees.
//
// A reply is taken from the wire as the SDK's transport received it, so that nothing the SDK drops or fills in can hide a
// difference. The SDK still decides what is sent, and when a connection has failed.

import { setTimeout as sleep } from 'node:timers/promises'
import type { JsonObject } from '@assent/core'
import type { Generation } from '../messages.ts'
import type { Address } from '../settings.ts'

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

/** Answers what a server asks, after as long as a person takes at least. */
export type Answer = (question: Question) => JsonObject

/** Sooner the gateway does not take an answer without content for a person's: clients are known that accept by themselves. */
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
  /** What the server says of itself. */
  readonly described: JsonObject
  readonly notifications: readonly Question[]
  readonly questions: readonly Question[]
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<Seen>
  notify(method: string, params?: JsonObject): Promise<void>
  /** Listens to updates of these resources; resolves with what ends that. */
  watch(uris: readonly string[]): Promise<() => Promise<Seen>>
  /** From which level on log messages are wanted. */
  setLevel(level: string): Promise<Seen>
  close(): Promise<void>
}

export interface CallerOptions {
  readonly answer?: Answer
  readonly capabilities?: JsonObject
  /** Of a server that knows only the first HTTP transport. */
  readonly legacySse?: boolean
  readonly timeoutMs?: number
}

export type ConnectCaller = (to: Address, options?: CallerOptions) => Promise<Caller>

/** Of a request, unless given. */
export const requestTimeoutMs = 30_000

export const everything: JsonObject = { elicitation: { form: {}, url: {} }, sampling: {}, roots: { listChanged: true } }

/** Accepts what is asked for, with nothing in it. */
export const acceptsAll: Answer = () => ({ action: 'accept', content: {} })
