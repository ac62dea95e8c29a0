// What the relay needs to continue a call after its questions were answered.
//
// It travels in the sealed state of a 2026-07-28 client, or in a stored call, so it is read as untrusted input.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import { objectAt } from '../protocol/messages.ts'

/** Questions that were asked together. The caller carries it, so that any replica knows how long they were open. */
export type OpenRound = { readonly id: string; readonly atMs: number }

export type RelayState = {
  readonly server: string
  readonly inner: JsonValue
  /** The schema of each form that was asked, for checking the answers. */
  readonly schemas: JsonObject
  /** The open round that these questions belong to; undefined when no person was asked. */
  readonly round?: OpenRound
  /** Whether the caller sees prefixed names. The number of servers may have changed since the call began. */
  readonly isPrefixed: boolean
  /** The server's name for the target, if it differs from the caller's: a reload may change the names for clients. */
  readonly target?: string
}

export function readRelayState(value: JsonValue): RelayState | undefined {
  if (!isPlainObject(value) || typeof value.server !== 'string') return undefined
  const schemas = objectAt(value as JsonObject, 'schemas')
  if (schemas === undefined) return undefined
  const { server, isPrefixed, round, target } = value
  const begun = { server, inner: (value.inner ?? null) as JsonValue, schemas, isPrefixed: isPrefixed === true }
  const resume = typeof target === 'string' ? { ...begun, target } : begun
  const { id, atMs } = isPlainObject(round) ? round : {}
  return typeof id === 'string' && typeof atMs === 'number' ? { ...resume, round: { id, atMs } } : resume
}
