// What the gateway needs to continue a call after its questions were answered, in one record.
//
// It travels sealed: in the state of a 2026-07-28 client, in a stored call or round, or in a message to another replica.

import { compact, isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import { objectAt, stringAt } from '../protocol/messages.ts'
import { own } from '../protocol/own.ts'
import type { Answers, InputRequest, ServerState } from './model.ts'
import { type CarriedEntry, readCarriedEntry } from './record/call-entry.ts'

/** Questions that were asked together. The caller carries it, so that any replica knows how long they were open. */
export type OpenRound = {
  readonly id: string
  readonly atMs: number
}

/** The part that the relay needs. */
export type RelayState = {
  readonly server: string
  readonly inner: ServerState
  /** The schema of each form that was asked, for checking the answers. */
  readonly schemas: JsonObject
  /** The open round that these questions belong to; undefined when no person was asked. */
  readonly round?: OpenRound
  /** Whether the caller sees prefixed names. The number of servers may have changed since the call began. */
  readonly isPrefixed: boolean
  /** The server's name for the target, if it differs from the caller's: a reload may change the names for clients. */
  readonly target?: string
}

/** What routing adds: the surface on which each question is asked. */
export type RoutingState = RelayState & {
  readonly wanted: Readonly<Record<string, InputRequest>>
  /** The asks of a held call: all its questions are stored before they are sent. */
  readonly onRecord: Readonly<Record<string, string>>
  /** The asks that the inbox shows, by the key of their question. */
  readonly inInbox: Readonly<Record<string, string>>
  /** Asks that the inbox shows, or will show when the client does not answer in time, while the client is asked too. */
  readonly copies: Readonly<Record<string, string>>
  /** Answers that arrived while other questions of the round are open. */
  readonly kept: Answers
  /** Whether one of the kept answers was given in the inbox: then the round is sent once, and its outcome is stored. */
  readonly hasInboxAnswer?: boolean
  /** How often the caller was asked to retry. */
  readonly waits: number
  /** When the last inbox ask expires, by the store's clock. Kept here because the store may be unavailable later. */
  readonly untilMs?: number
  /** The call's own entry in the record of calls, if it joined the approval of another call. */
  readonly joined?: CarriedEntry
}

export type CallState = RelayState | RoutingState

export function isRouted(state: CallState): state is RoutingState {
  return 'wanted' in state
}

/** Whether only the client is asked: its questions have no asks. */
export function isOnlyAtClient(state: CallState): boolean {
  return !isRouted(state) || Object.keys({ ...state.inInbox, ...state.copies, ...state.onRecord }).length === 0
}

/** How long the questions of this round have been open. */
export function openForMs({ round }: { readonly round?: OpenRound | undefined }, nowMs: number): number {
  return Math.max(0, nowMs - (round?.atMs ?? nowMs))
}

/** How long the inbox still asks; undefined when it does not. */
export function inboxLeftMs(state: CallState, nowMs: number): number | undefined {
  return isRouted(state) && state.untilMs !== undefined ? Math.max(0, state.untilMs - nowMs) : undefined
}

/** What is needed to ask the forms of this round again and is not in its state; undefined when all of it is. */
export function formsToRepeat(
  state: CallState,
  wanted: Readonly<Record<string, InputRequest>>,
): JsonObject | undefined {
  if (isRouted(state)) return undefined
  const forms = Object.entries(wanted).flatMap(([key, { kind, params }]) => {
    const { requestedSchema: _inState, ...rest } = params
    return kind === 'form' ? [[key, rest] as const] : []
  })
  return Object.fromEntries(forms)
}

/** A question of this round that can be asked again, from the state and from what `formsToRepeat` returned. */
export function questionIn(state: CallState, forms: JsonObject, key: string): InputRequest | undefined {
  if (isRouted(state)) return own(state.wanted, key)
  const params = Object.hasOwn(forms, key) ? objectAt(forms, key) : undefined
  const schema = own(state.schemas, key)
  if (params === undefined || schema === undefined) return undefined
  const message = stringAt(params, 'message') ?? ''
  return { kind: 'form', message, schema, params: { ...params, requestedSchema: schema } }
}

/** The part of the state that the layers below routing get. */
export function relayPart({ server, inner, schemas, round, isPrefixed, target }: RelayState): RelayState {
  const state =
    target === undefined ? { server, inner, schemas, isPrefixed } : { server, inner, schemas, isPrefixed, target }
  return round === undefined ? state : { ...state, round }
}

/** The state of a round that the client alone was asked and has answered. It is continued without more answers. */
export function answeredState(state: RelayState, kept: Answers): RoutingState {
  return { ...state, wanted: {}, onRecord: {}, inInbox: {}, copies: {}, kept, waits: 0 }
}

export function writeCallState(state: CallState): JsonObject {
  return { ...state } as JsonObject
}

/** Reads what `writeCallState` wrote. We sealed it, so only its outline is checked. */
export function readCallState(value: JsonValue | undefined): CallState | undefined {
  if (!isPlainObject(value) || typeof value.server !== 'string') return undefined
  const all = value as JsonObject
  const schemas = objectAt(all, 'schemas')
  if (schemas === undefined) return undefined
  const { id, atMs } = objectAt(all, 'round') ?? {}
  const state: RelayState = {
    server: value.server,
    inner: all.inner ?? null,
    schemas,
    isPrefixed: all.isPrefixed === true,
    ...(typeof all.target === 'string' ? { target: all.target } : {}),
    ...(typeof id === 'string' && typeof atMs === 'number' ? { round: { id, atMs } } : {}),
  }
  if (objectAt(all, 'wanted') === undefined) return state
  const part = <T>(name: string) => (objectAt(all, name) ?? {}) as Readonly<Record<string, T>>
  return {
    ...state,
    wanted: part('wanted'),
    onRecord: part('onRecord'),
    inInbox: part('inInbox'),
    copies: part('copies'),
    kept: part('kept'),
    ...(all.hasInboxAnswer === true ? { hasInboxAnswer: true } : {}),
    waits: typeof all.waits === 'number' ? all.waits : 0,
    ...(typeof all.untilMs === 'number' ? { untilMs: all.untilMs } : {}),
    ...compact({ joined: readCarriedEntry(all.joined) }),
  }
}
