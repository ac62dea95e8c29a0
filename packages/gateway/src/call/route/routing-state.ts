// The state of a call while people answer its questions: how to continue it, and on which surface each question is.
//
// The caller carries it, sealed, so any replica can continue the call.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import { objectAt } from '../../protocol/messages.ts'
import type { InputRequest, InputResponse } from '../model.ts'
import { type RelayState, readRelayState } from '../relay-state.ts'

export type RoutingState = {
  readonly resume: RelayState
  readonly wanted: Readonly<Record<string, InputRequest>>
  /** The asks of a held call: all its questions are stored before they are sent. */
  readonly onRecord: Readonly<Record<string, string>>
  /** The asks that the inbox shows, by the key of their question. */
  readonly inInbox: Readonly<Record<string, string>>
  /** Asks that the inbox shows, or will show when the client does not answer in time, while the client is asked too. */
  readonly copies: Readonly<Record<string, string>>
  /** Answers that arrived while other questions of the round are open. */
  readonly kept: Readonly<Record<string, InputResponse>>
  /** Whether one of the kept answers was given in the inbox: then the round is sent once, and its outcome is stored. */
  readonly hasInboxAnswer?: boolean
  /** How often the caller was asked to retry. */
  readonly waits: number
  /** When the last inbox ask expires, by the store's clock. Kept here because the store may be unavailable later. */
  readonly untilMs?: number
}

export function writeRoutingState({ resume, ...place }: RoutingState): JsonValue {
  return { resume, place } as JsonValue
}

/** Reads what `writeRoutingState` wrote. We sealed it, so only its outline is checked. */
export function readRoutingState(value: JsonValue): RoutingState | undefined {
  if (!isPlainObject(value)) return undefined
  const resume = readRelayState((value.resume ?? null) as JsonValue)
  const place = objectAt(value as JsonObject, 'place')
  if (resume === undefined || place === undefined) return undefined
  const part = <T>(name: string) => (objectAt(place, name) ?? {}) as Readonly<Record<string, T>>
  return {
    resume,
    wanted: part('wanted'),
    onRecord: part('onRecord'),
    inInbox: part('inInbox'),
    copies: part('copies'),
    kept: part('kept'),
    ...(place.hasInboxAnswer === true ? { hasInboxAnswer: true } : {}),
    waits: typeof place.waits === 'number' ? place.waits : 0,
    ...(typeof place.untilMs === 'number' ? { untilMs: place.untilMs } : {}),
  }
}
