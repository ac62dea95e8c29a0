// A journal as a compact JSON value, and back.
//
// The client gets it sealed and cannot change it. A value of another shape is from another release and is refused.

import { AssentError, type Content, isPlainObject, type JsonValue } from '@assent/core'
import type { Ending } from '../ask/ending.ts'
import { sdkLimits } from '../limits.ts'
import { type AskEntry, type FailureCause, Journal, type JournalStep } from './journal.ts'

const version = 3

/** Throws `limit_exceeded` for a journal that is too large to send. */
export function encodeJournal(journal: Journal): JsonValue {
  const encoded = encode(journal)
  const { length } = JSON.stringify(encoded)
  if (length > sdkLimits.journalChars) {
    const advice = 'Keep large results of steps elsewhere and return their names.'
    throw new AssentError(
      'limit_exceeded',
      `The journal of this call has ${length} characters; at most ${sdkLimits.journalChars} can be sent. ${advice}`,
    )
  }
  return encoded
}

/** The characters of the journal, with what is reserved in it. */
export function takenIn(journal: Journal): number {
  return JSON.stringify(encode(journal)).length + journal.reservedChars
}

function encode({ callId, round, asks, steps, given }: Journal): JsonValue {
  const encoded = [version, callId, round, asks.map(encodeAsk), [...steps].map(encodeStep)]
  return given === undefined ? encoded : [...encoded, given]
}

/** The journal of the next round. */
export function decodeJournal(value: JsonValue): Journal {
  if (!Array.isArray(value) || value.length < 5 || value.length > 6 || value[0] !== version) throw otherRelease()
  const [, callId, round, asks, steps, given] = value as [number, unknown, unknown, unknown, unknown, JsonValue?]
  if (typeof callId !== 'string' || !isRound(round) || !Array.isArray(asks) || !Array.isArray(steps))
    throw otherRelease()
  return new Journal(callId, {
    round: round + 1,
    asks: asks.map(decodeAsk),
    steps: steps.map(decodeStep),
    ...(given === undefined ? {} : { given }),
  })
}

function isRound(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}

function encodeAsk({ id, fingerprint, label, decideByMs, round, ended }: AskEntry): JsonValue {
  const entry = [id, fingerprint, label, decideByMs, round]
  return ended === undefined ? entry : [...entry, ended.atMs, ended.round, ...encodeEnding(ended.ending)]
}

function decodeAsk(value: unknown): AskEntry {
  if (!Array.isArray(value)) throw otherRelease()
  const [id, fingerprint, label, decideByMs, round, atMs, endedIn, code, more, comment] = value
  const isWhole = [id, fingerprint, label].every((text) => typeof text === 'string') && typeof decideByMs === 'number'
  if (!isWhole || !isRound(round)) throw otherRelease()
  const entry: AskEntry = { id, fingerprint, label, decideByMs, round }
  if (atMs === undefined) return entry
  if (!isRound(endedIn)) throw otherRelease()
  return { ...entry, ended: { atMs, round: endedIn, ending: decodeEnding(code, more, comment) } }
}

const codes = {
  accepted: 'y',
  declined: 'n',
  cancelled: 'c',
  timed_out: 't',
  unseen: 'f',
  channel_closed: 'g',
  not_supported: 'u',
  validation_failed: 'v',
} as const

export function encodeEnding(ending: Ending): JsonValue[] {
  const code = codes[ending.kind]
  switch (ending.kind) {
    case 'accepted': {
      if (ending.comment !== undefined) return [code, { ...(ending.content ?? {}) }, ending.comment]
      return ending.content === undefined ? [code] : [code, { ...ending.content }]
    }
    case 'declined':
    case 'cancelled':
      return ending.comment === undefined ? [code] : [code, ending.comment]
    case 'channel_closed':
    case 'not_supported':
    case 'validation_failed':
      return [code, ending.why]
    default:
      return [code]
  }
}

export function decodeEnding(code: unknown, more: unknown, comment?: unknown): Ending {
  const commentMember = (text: unknown) => (typeof text === 'string' ? { comment: text } : {})
  switch (code) {
    case codes.accepted:
      return {
        kind: 'accepted',
        ...(isPlainObject(more) ? { content: more as Content } : {}),
        ...commentMember(comment),
      }
    case codes.declined:
      return { kind: 'declined', ...commentMember(more) }
    case codes.cancelled:
      return { kind: 'cancelled', ...commentMember(more) }
    case codes.timed_out:
      return { kind: 'timed_out' }
    case codes.unseen:
      return { kind: 'unseen' }
    case codes.channel_closed:
      return { kind: 'channel_closed', why: String(more) }
    case codes.not_supported:
      return { kind: 'not_supported', why: String(more) }
    case codes.validation_failed:
      return { kind: 'validation_failed', why: String(more) }
    default:
      throw otherRelease()
  }
}

/** A step that failed or is in the store has a fourth member, which one with a result cannot have. */
function encodeStep([name, { entry, round }]: readonly [string, JournalStep]): JsonValue {
  switch (entry.kind) {
    case 'failed': {
      const failed = [name, round, entry.message, entry.code]
      return entry.cause === undefined ? failed : [...failed, { ...entry.cause }]
    }
    case 'stored':
      return [name, round, null, 'stored']
    case 'done':
      return entry.result === undefined ? [name, round] : [name, round, entry.result]
  }
}

function decodeStep(value: unknown): readonly [string, JournalStep] {
  if (!Array.isArray(value) || typeof value[0] !== 'string' || !isRound(value[1])) throw otherRelease()
  const [name, round, result, code, cause] = value
  if (code === 'stored') return [name, { round, entry: { kind: 'stored' } }]
  if (code === 'step_failed' || code === 'grant_refused')
    return [name, { round, entry: { kind: 'failed', code, message: String(result), ...decodeCause(cause) } }]
  return [name, { round, entry: value.length === 2 ? { kind: 'done' } : { kind: 'done', result } }]
}

/** The cause of a failed step, from a journal or a store. */
export function decodeCause(stored: unknown): { readonly cause?: FailureCause } {
  if (!isPlainObject(stored) || typeof stored.name !== 'string') return {}
  const { name, code, data } = stored
  return {
    cause: {
      name,
      ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
      ...(data === undefined ? {} : { data: data as JsonValue }),
    },
  }
}

function otherRelease(): AssentError {
  return new AssentError('state_refused', 'This state was made by another release of the sdk. Start the call again.')
}
