// The model of a call, independent of the protocol revision: a call finishes, fails, or returns unfinished because it
// needs input from people, and is then continued with their answers.
//
// A server adapter turns one revision's server into an `Exchange`; a client adapter turns an `Outcome` into the
// messages of the client's revision. The code between them is independent of the revision.

import {
  type ApprovalRequirement,
  type AskCaller,
  compact,
  isPlainObject,
  type JsonObject,
  type JsonValue,
  type OpenLimitName,
} from '@assent/core'
import type { CallOutcome } from '@assent/store'
import type { Notification, RpcError } from '../protocol/messages.ts'
import type { RequestAsks } from './route/waiting-asks.ts'

export interface Call {
  readonly tenant: string
  readonly principal: string
  /** The groups of the principal, as the identity provider confirmed them with this request; none without identity. */
  readonly groups?: readonly string[]
  /** The roles of the principal, from the same token. */
  readonly roles?: readonly string[]
  /** The IP address that the request came from. */
  readonly address?: string
  /**
   * The caller's connection; servers with sessions get one session for each. Empty for callers without a connection.
   */
  readonly scope: string
  /** The calling program: its OAuth client, or the name that it declares. */
  readonly agent?: string
  readonly method: string
  /** Unchanged, as the client sent them. */
  readonly params: JsonObject
  readonly client: ClientProfile
  /** Forwards the server's notifications during the call, such as progress. */
  readonly notify: (notification: Notification) => void
  /** The progress value last sent to the caller. */
  readonly progressed?: () => number
  /** How long a caller that cannot retry still waits. Undefined, or without a value, for one that can retry. */
  readonly leavesAfterMs?: () => number | undefined
  /** Aborts when the caller no longer wants the answer. */
  readonly signal: AbortSignal
  /** Set by the relay: a server adapter calls it when it refuses a question of this call. */
  readonly onRefused?: (why: QuestionRefusal) => void
  /** On a listening call: asks the client a question that belongs to no call. */
  readonly ask?: (wanted: InputRequest) => Promise<InputResponse>
  /** Headers of the client's HTTP request that some server may get (`forward_headers`), their names in lower case. */
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** The asks that only this request waits for. Without it they end by their deadline alone. */
  readonly waiting?: RequestAsks
  /** Set if calls are recorded. */
  readonly entry?: CallEntry
}

/** The entry of a call in the record of calls, while a request runs the call. */
export interface CallEntry {
  /** What policies decided about the call. */
  decided(effect: 'allow' | 'ask' | 'deny', policies: readonly string[]): void
  /** Stores the entry of a call that a policy decided, once. False if it cannot be stored. */
  store(): Promise<boolean>
  /** Called before the call is sent to its server. False if it must not be sent, because its entry cannot be stored. */
  mayForward(): Promise<boolean>
  /** The server has got the call already, in an earlier request. */
  forwarded(): void
  /** Another request has the outcome of the call, or will have it: this one does not end the entry. */
  endsElsewhere(): void
}

/** Why a question was refused before a person saw it. */
export type QuestionRefusal =
  /** The client did not declare support for it, and there is no other surface. */
  | 'unsupported'
  | 'disabled'
  | 'secret'
  | 'schema'
  | 'link'
  | 'too-large'
  /** More questions in one round than the limit. */
  | 'too-many'
  /** A client's answer looks like a secret. */
  | 'secret-answer'
  /** A client's answer does not fit the form, even after the client was asked again. */
  | 'invalid-answer'
  /** The server asked while none of its calls was in progress. */
  | 'no-call'
  | `too-many-open-${OpenLimitName}`

/**
 * What the caller declares about itself in this call. It is passed on, and decides only what may be sent to the caller.
 */
export interface ClientProfile {
  readonly info: JsonObject
  /** Where the client works, if this process serves only this client. */
  readonly workplace?: () => Pick<AskCaller, 'folder' | 'branch'>
  /** The capabilities that the client declared. */
  readonly declared: JsonObject
  /** The capabilities sent to servers: with an inbox, more than the client declared. */
  readonly capabilities: JsonObject
  /** Asking people is disabled at this gateway, so `capabilities` lacks what the client declared. */
  readonly asksDisabled?: true
  /** Whether the client shows this question itself, so that a caller without a session answers in another request. */
  readonly shows?: (wanted: InputRequest, server: string) => boolean
  /** Whether the inbox asks this question and the client does not: then the store records it and its answer. */
  readonly isRecorded?: (wanted: InputRequest, server: string) => boolean
  /** Headers that repeat parts of the call for intermediaries, as the caller sent them. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A server's request for input from the client's side. */
export type InputRequest =
  | {
      readonly kind: 'form'
      readonly message: string
      readonly schema: JsonValue
      readonly params: JsonObject
      /** What Assent verified itself. Set only for the built-in tools; a value from another server is ignored. */
      readonly checked?: string
      /** The server declares the called tool as destructive. */
      readonly isInDestructiveTool?: true
      /** Accepting it needs a passkey. */
      readonly needsPresence?: true
      /** Set when a policy requires approval of the call itself. Only our policy layer sets it. */
      readonly approval?: WantedApproval
      readonly shared?: Shared
    }
  | {
      readonly kind: 'url'
      readonly message: string
      readonly url: string
      readonly params: JsonObject
      /** Set when the link leads to a page of this gateway on which the person enters a secret. */
      readonly secret?: WantedSecret
      readonly needsPresence?: true
      readonly shared?: Shared
    }
  | { readonly kind: 'sampling'; readonly params: JsonObject }
  | { readonly kind: 'roots'; readonly params: JsonObject }

/** The approval of one call, as policies require it. It travels in the state of the call. */
export type WantedApproval = {
  readonly title: string
  readonly definitionDigest: string
  /** Of all policies in force. */
  readonly policySetDigest: string
  /** The names of the policies that ask. */
  readonly policies: readonly string[]
  readonly requirements: readonly ApprovalRequirement[]
  readonly declines: number
  readonly useWithinMs?: number
  readonly needsReason?: true
  /** A policy that asks marks what it covers as destructive. */
  readonly isDestructive?: true
  /** The definition by which the call was judged, or an accepted one before it, declares the tool as destructive. */
  readonly isInDestructiveTool?: true
  /** The caller's own client may show it too. */
  readonly isOnClient?: true
}

/** The stored decision about a call that needed approval. Only the store's side sets it, never a client. */
export type GivenApproval = {
  readonly askId: string
  readonly by?: string
  readonly comment?: string
}

/** For a server that did not specify in which of its calls it asks. The same object as long as the server waits. */
export interface Shared {
  /** Whether the server still waits for the answer: the call that carried the question may have ended. */
  readonly isOpen: boolean
  /** The calls in progress when the server asked, without their states (candidate-calls.ts). */
  readonly oneOf: readonly Pick<Call, 'method' | 'params'>[]
  /** The shortest time that any of their callers still waits, among those that cannot retry. */
  readonly leavesAfterMs?: () => number | undefined
}

export interface WantedSecret {
  readonly page: string
  readonly publicKey: string
  /** How long the page was still usable when the link was screened. */
  readonly leftMs: number
  /** The page's ask, if it has been raised. */
  readonly askId?: string
}

/** The response to an input request; an error is one too. `isUnfit` marks a cancel that replaces an invalid answer. */
export type InputResponse =
  | {
      readonly result: JsonObject
      readonly isUnfit?: true
      /** Not a person's choice: the question was withdrawn. */
      readonly end?: 'withdrawn'
      /** The answer looks like a secret, and the person confirmed on one of our surfaces that it is to be sent. */
      readonly isConfirmed?: true
      /** The answer looks like a secret and came from the client: the store keeps it until it is sent. */
      readonly isSecret?: true
      /** The store has recorded the end of the question. */
      readonly isRecorded?: true
      readonly approval?: GivenApproval
      /** The stored ask that this answers. Only for the log: the relay removes it before it uses the answer. */
      readonly askId?: string
    }
  | { readonly error: RpcError; readonly isRecorded?: true; readonly askId?: string }

/** The answers, each with its stored ask if it has one. */
export function withAskIds(given: Answers, idOf: (key: string) => string | undefined): Answers {
  return mapped(given, (one, key) => ({ ...one, ...compact({ askId: idOf(key) }) }))
}

export function withoutAskIds(given: Answers): Answers {
  return mapped(given, ({ askId: _forTheLog, ...one }) => one)
}

function mapped(given: Answers, change: (one: InputResponse, key: string) => InputResponse): Answers {
  return Object.fromEntries(Object.entries(given).map(([key, one]) => [key, change(one, key)]))
}

/** Questions that the client is asked again. */
export type Repeat = {
  /** How often this round was repeated. */
  readonly count: number
  /** Why the answer was rejected, by the key of the question. */
  readonly reasons: Readonly<Record<string, string>>
  /** The valid answers of the same round. */
  readonly kept: JsonObject
}

interface OutcomeDetails {
  /** Whether the server answered on a stream. The client adapter does the same, so the client sees no difference. */
  readonly isStreamed?: boolean
  /** Keys of the answers just given that the server had stopped waiting for. */
  readonly undelivered?: readonly string[]
  /** The entry in the record of calls that has this outcome. */
  readonly recorded?: { readonly id: string; readonly outcome: CallOutcome; readonly askId?: string }
}

export interface Finished extends OutcomeDetails {
  readonly kind: 'finished'
  readonly result: JsonObject
}

export interface Failed extends OutcomeDetails {
  readonly kind: 'failed'
  readonly error: RpcError
  /** The HTTP status of the server's error. */
  readonly status?: number
  /** The server could not be reached, or did not reply. */
  readonly isAway?: boolean
  /** Nothing of the request was sent: the connection was refused, or the process could not be started. */
  readonly isUnsent?: boolean
  /** The request that ran the call has its outcome: this failure only says why it cannot be returned to another one. */
  readonly isElsewhere?: boolean
}

export interface NeedsInput<State = ServerState> extends OutcomeDetails {
  readonly kind: 'input-required'
  readonly wanted: Readonly<Record<string, InputRequest>>
  /** What this layer needs to continue the call; it may travel through the client, sealed. */
  readonly state: State
  /** Set by a client adapter that repeats questions whose answers did not fit. */
  readonly repeat?: Repeat
  /** The stored asks of these questions, by the same keys. */
  readonly asks?: Readonly<Record<string, string>>
  /** Set for a held call: resolves when it ended without the answers, so waiting longer is pointless. */
  readonly over?: Promise<void>
}

export type Ended = Finished | Failed

/** The result of a layer whose calls continue from a `State`. */
export type Outcome<State = ServerState> = Ended | NeedsInput<State>

/** A server adapter's own state of a call: opaque to all other layers, except for `heldId`. */
export type ServerState = JsonValue

/** Answers by the keys of their questions. */
export type Answers = Readonly<Record<string, InputResponse>>

/** One layer that a call passes through. All layers have this shape; they differ in the state and answers they take. */
export interface Exchange<State = ServerState, Response = InputResponse> {
  start(call: Call): Promise<Outcome<State>>
  continue(call: Call, state: State, given: Readonly<Record<string, Response>>): Promise<Outcome<State>>
}

/** A server's description of itself, in terms that all revisions share. */
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
   * Forwards notifications that belong to no call, until the signal aborts. `call.params` selects them, in the terms of
   * the newest revision. Resolves when no more can arrive.
   */
  listen(call: Call): Promise<void>
  /** Forwards a client's notification to its open sessions. Absent for servers without sessions. */
  notify?(call: Call, notification: Notification): void
  /** Called when the caller's connection with this scope has ended; its sessions may be closed. */
  leave(principal: string, scope: string): void
  close(): Promise<void>
}

/** The call for work that others may wait for too: it does not end with this caller, and reports nothing to it. */
export function detached(call: Call): Call {
  return { ...call, notify: () => undefined, signal: new AbortController().signal }
}

/** Whether a server may ask for input during this request, in every revision. */
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

/**
 * Whether a request may be sent twice without harm. False for calls in which the server may ask, and unknown methods.
 */
export function mayRepeat(method: string): boolean {
  return repeatable.includes(method)
}

/** The name of the called tool, cut and cleaned for the audit log. */
export function toolOf({ method, params }: Pick<Call, 'method' | 'params'>): string | undefined {
  const name = method === 'tools/call' ? params.name : undefined
  return typeof name === 'string' ? name.slice(0, 256).toWellFormed() : undefined
}

export function reasonOf(error: unknown): string {
  // Node reports the failure of each address here, with an empty message.
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** Why a server cannot be used, as text for callers. Names the server once. */
export function unusable(server: string, error: unknown): string {
  return `The server ${server} cannot be used now. ${bareReason(error)}`
}

/** Only the reason, without the prefix that a lower layer already added. */
export function bareReason(error: unknown): string {
  return reasonOf(error).replace(/^(The server (\S+ )?cannot be used now\. )+/, '')
}

/** The id of a held call; see the adapters of the session-based revisions. */
export function heldId(state: ServerState): string | undefined {
  return isPlainObject(state) && typeof state.held === 'string' ? state.held : undefined
}

export function failed(code: number, message: string, data?: JsonValue): Failed {
  return { kind: 'failed', error: data === undefined ? { code, message } : { code, message, data } }
}

/** Without the members that are valid in one process only. */
export function storable(outcome: Ended): Ended
export function storable<State>(outcome: Outcome<State>): Outcome<State>
export function storable({ isStreamed: _streamed, ...outcome }: Outcome<unknown>): Outcome<unknown> {
  if (outcome.kind !== 'input-required') return outcome
  const { over: _over, ...rest } = outcome
  return rest
}

/** A failure before anything of the request was sent. */
export function unsent(code: number, message: string): Failed {
  return { ...failed(code, message), isUnsent: true }
}

/** A failure for a request, while the one that ran the call has the outcome. */
export function ranElsewhere(code: number, message: string): Failed {
  return { ...failed(code, message), isElsewhere: true }
}

/** Thrown before anything of a request was sent. */
export class NotSent extends Error {
  constructor(cause: unknown) {
    super(reasonOf(cause), { cause })
    this.name = 'NotSent'
  }
}
