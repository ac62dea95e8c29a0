// Where a call stands while its questions are on their way to people: what continues it, and which question is where.
//
// It travels with the caller, sealed, so any process can go on from it.

import { isPlainObject, type JsonObject, type JsonValue } from '@assent/core'
import type { Given, Wanted } from '../relay/exchange.ts'
import { type Resume, readResume } from '../relay/relay.ts'
import { objectAt } from '../wire/messages.ts'

export interface Place {
  readonly resume: Resume
  readonly wanted: Readonly<Record<string, Wanted>>
  /** The asks of a held call: all its questions are on record before they leave. */
  readonly onRecord: Readonly<Record<string, string>>
  /** The asks that the inbox shows, by the key of their question. */
  readonly inInbox: Readonly<Record<string, string>>
  /** The asks that are or will be in the inbox because the client is silent, while the client is still asked. */
  readonly copies: Readonly<Record<string, string>>
  /** What has come back already while other questions are open. */
  readonly kept: Readonly<Record<string, Given>>
  /** Whether one of the kept answers was given in the inbox: then the round is sent once, and its outcome is stored. */
  readonly hasInboxAnswer?: boolean
  /** How often the caller has been told to come back. */
  readonly waits: number
  /** When the time is up of all that the inbox shows, by the store's clock: known here also when the store is away. */
  readonly untilMs?: number
}

export function writePlace({ resume, ...place }: Place): JsonValue {
  return { resume, place } as unknown as JsonValue
}

/** What `writePlace` wrote. It was sealed by us, so only its outline is looked at. */
export function readPlace(value: JsonValue): Place | undefined {
  if (!isPlainObject(value)) return undefined
  const resume = readResume((value.resume ?? null) as JsonValue)
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
