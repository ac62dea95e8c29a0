// The one model of a call, for every revision: it finishes, or it comes back unfinished because people are needed, and
// can be continued with what they said.
//
// An upstream adapter turns one revision's server into an `Exchange`; a downstream adapter turns an `Outcome` into what
// one client understands. Everything between them knows neither.

import { type Full, isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import type { RequestAsks } from '../surfaces/waiting-asks.ts'
import { errorCodes, type Notification, type RpcError } from '../wire/messages.ts'

export interface Call {
  readonly tenant: string
  readonly principal: string
  /** Which of the caller's connections it belongs to; servers with sessions get one for each. Empty where it has none. */
  readonly scope: string
  /** The program that calls, where `scope` is empty: its OAuth client, or the name that it gives itself. */
  readonly agent?: string
  readonly method: string
  /** As the client sent them. */
  readonly params: JsonObject
  readonly client: ClientProfile
  /** What the server says on the way, such as progress. */
  readonly notify: (notification: Notification) => void
  /** How far the call has come, as last told to the caller. */
  readonly progressed?: () => number
  /** How long a caller that cannot come back still waits. Undefined, or without a value, for one that can come back. */
  readonly leavesAfterMs?: () => number | undefined
  /** Aborts when the caller no longer wants the answer. */
  readonly signal: AbortSignal
  /** Set by the relay: called by a server adapter that refuses a question of this call by itself. */
  readonly onRefused?: (why: QuestionRefusal) => void
  /** On a call that listens: asks the client something that belongs to no call. */
  readonly ask?: (wanted: Wanted) => Promise<Given>
  /** Headers of the client's HTTP request that some server may get (`forward_headers`), their names in lower case. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** The asks that only this request waits for. Without it they end by their deadline alone. */
  readonly waiting?: RequestAsks
}

/** Why a question was refused before a person saw it. */
export type QuestionRefusal =
  /** The client did not declare that it can show it, and there is no other surface. */
  | 'unsupported'
  | 'disabled'
  | 'secret'
  | 'schema'
  | 'link'
  | 'too-large'
  /** In one round. */
  | 'too-many'
  /** A client answered with what looks like a secret. */
  | 'secret-answer'
  /** A client answered with what does not fit the form, also when it was asked again. */
  | 'invalid-answer'
  /** The server asked while none of its calls was in progress. */
  | 'no-call'
  | `too-many-open-${Full}`

/** What the caller said about itself for this call. It is passed on, and decides only what may be sent to it. */
export interface ClientProfile {
  readonly info: JsonObject
  /** What it can do by itself, in its own words. */
  readonly declared: JsonObject
  /** What servers are told: with an inbox more can be asked than the client declared. */
  readonly capabilities: JsonObject
  /** Asking people is switched off at this gateway, so `capabilities` lacks what the client declared. */
  readonly asksDisabled?: true
  /** Whether it shows such a question itself, so that a caller without a session comes back for it in another request. */
  readonly shows?: (wanted: Wanted, server: string) => boolean
  /** Headers that repeat parts of the call for what stands between, as the caller sent them. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Something a server wants from the client's side before it can go on. */
export type Wanted =
  | {
      readonly kind: 'form'
      readonly message: string
      readonly schema: JsonValue
      readonly params: JsonObject
      /** What Assent checked itself. Set only for the tools in this process, whatever another server sends. */
      readonly checked?: string
      readonly shared?: Shared
    }
  | {
      readonly kind: 'url'
      readonly message: string
      readonly url: string
      readonly params: JsonObject
      /** The link leads to a page of ours, where this call's person hands a secret over. */
      readonly secret?: WantedSecret
      readonly shared?: Shared
    }
  | { readonly kind: 'sampling'; readonly params: JsonObject }
  | { readonly kind: 'roots'; readonly params: JsonObject }

/** A question whose server did not say in which of its calls it asks. The same object as long as the server waits for it. */
export interface Shared {
  /** Whether the server still waits for the answer: the call that carried the question may have ended. */
  readonly isOpen: boolean
  /** The calls in progress when it asked. */
  readonly oneOf: readonly Pick<Call, 'method' | 'params'>[]
  /** The earliest that one of their callers leaves, for callers that cannot come back. */
  readonly leavesAfterMs?: () => number | undefined
}

export interface WantedSecret {
  readonly page: string
  readonly publicKey: string
  /** How long the page may still be used, when it was judged. */
  readonly leftMs: number
  /** The ask that it answers, if there is one already. */
  readonly askId?: string
}

/** What came back for it. An error in place of an answer is an answer too. `isUnfit` when a cancel stands for what did not fit. */
export type Given =
  | {
      readonly result: JsonObject
      readonly isUnfit?: true
      /** No person chose: the question was withdrawn, or the process that waited for the answer is gone. */
      readonly end?: 'withdrawn' | 'lost'
      /** It holds what looks like a secret, and the person confirmed on a surface of ours that it is to be sent. */
      readonly isConfirmed?: true
    }
  | { readonly error: RpcError }

/** A question that is put to the client once more. */
export interface Repeat {
  /** How often that was done for this round. */
  readonly count: number
  /** What was wrong, by the key of the question. */
  readonly reasons: Readonly<Record<string, string>>
  /** The answers of the same round that fit. */
  readonly kept: JsonObject
}

export type Outcome = Ending & {
  /** Whether the server answered on a stream; a relay that keeps to it changes nothing for the client. */
  readonly isStreamed?: boolean
  /** Of the answers that were just given, those that the server had stopped waiting for. */
  readonly undelivered?: readonly string[]
}

type Ending =
  | { readonly kind: 'finished'; readonly result: JsonObject }
  | {
      readonly kind: 'failed'
      readonly error: RpcError
      /** The one that a server gave its error over HTTP. */
      readonly status?: number
      /** The server was not reached, or did not answer. */
      readonly isAway?: boolean
      /** Certainly nothing of the request was sent: the connection was refused, or the process could not be started. */
      readonly isUnsent?: boolean
    }
  | {
      readonly kind: 'needs-people'
      readonly wanted: Readonly<Record<string, Wanted>>
      /** For this upstream alone to understand; it may travel through the client, sealed. */
      readonly resume: JsonValue
      /** Set by a client adapter that asks again what was answered with something that does not fit. */
      readonly repeat?: Repeat
      /** The asks that are on record for them, by the same keys. */
      readonly asks?: Readonly<Record<string, string>>
      /** Where the call is held: resolves when waiting longer is pointless, because it ended without the answers. */
      readonly over?: Promise<void>
    }

export interface Exchange {
  start(call: Call): Promise<Outcome>
  continue(call: Call, resume: JsonValue, given: Readonly<Record<string, Given>>): Promise<Outcome>
}

/** What a server says of itself, in the words that both generations share. */
export interface Description {
  readonly capabilities: JsonObject
  readonly info: JsonObject
  readonly instructions?: string
}

/** A configured server, whichever revision it speaks. */
export interface Upstream extends Exchange {
  readonly name: string
  describe(call: Call): Promise<Description>
  /**
   * Tells of changes that belong to no call, until the signal aborts. `call.params` says which, in the words of the
   * newest revision. Resolves when nothing more will come.
   */
  listen(call: Call): Promise<void>
  /** Passes on what a client says outside any request, to the sessions that are open for it. Without it the server keeps none. */
  notify?(call: Call, notification: Notification): void
  /** The caller's connection of this scope has ended; what was opened for it may go. */
  leave(principal: string, scope: string): void
  close(): Promise<void>
}

/** The calls in which a server may ask, in every revision. */
export function mayAsk(method: string): boolean {
  return method === 'tools/call' || method === 'prompts/get' || method === 'resources/read'
}

const repeatable = [
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'completion/complete',
  'logging/setLevel',
  'subscriptions/listen',
]

/** The requests that a server may get twice without harm. None in which it may ask, and none that we do not know. */
export function mayRepeat(method: string): boolean {
  return repeatable.includes(method)
}

/** The tool that a call is for, as text that the audit log can hold. */
export function toolOf({ method, params }: Pick<Call, 'method' | 'params'>): string | undefined {
  const name = method === 'tools/call' ? params.name : undefined
  return typeof name === 'string' ? name.slice(0, 256).toWellFormed() : undefined
}

export function reasonOf(error: unknown): string {
  // Node puts the failures at each address of a name here, and leaves the message empty.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** Why a server cannot be used, in the words that callers get. The server is named once. */
export function unusable(server: string, error: unknown): string {
  return `The server ${server} cannot be used now. ${bareReason(error)}`
}

/** The reason alone, where a layer below has already said that the server cannot be used. */
export function bareReason(error: unknown): string {
  return reasonOf(error).replace(/^(The server (\S+ )?cannot be used now\. )+/, '')
}

/** The call that a server waits in, by what continues it; see the adapters of the sessionful revisions. */
export function heldId(resume: JsonValue): string | undefined {
  return isPlainObject(resume) && typeof resume.held === 'string' ? resume.held : undefined
}

export function failed(code: number, message: string, data?: JsonValue): Outcome {
  return { kind: 'failed', error: data === undefined ? { code, message } : { code, message, data } }
}

/** The same for a request of which certainly nothing was sent. */
export function unsent(code: number, message: string): Outcome {
  return { ...failed(code, message), isUnsent: true } as Outcome
}

/** Thrown before anything of a request was sent. */
export class NotSent extends Error {
  constructor(cause: unknown) {
    super(reasonOf(cause), { cause })
    this.name = 'NotSent'
  }
}

/** For a caller that would have to carry more than a sealed state can hold. */
export const tooMuchState: Outcome = failed(
  errorCodes.refused,
  'The server wants more to be kept for it than can travel with the call.',
)
