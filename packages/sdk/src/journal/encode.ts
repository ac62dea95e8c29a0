// A journal as a compact JSON value, and back.
//
// The client gets it sealed and cannot change it. A value of another shape is from another release and is refused.

import { AssentError, type Content, isPlainObject, type JsonValue } from '@assent/core'
import type { Ending } from '../ask/ending.ts'
import { sdkLimits } from '../limits.ts'
import { type AskEntry, Journal, type StepEntry } from './journal.ts'

const version = 1

/** Throws `limit_exceeded` for a journal that is too large to send. */
export function encodeJournal({ callId, asks, steps }: Journal): JsonValue {
  const encoded = [version, callId, asks.map(encodeAsk), [...steps].map(encodeStep)]
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

export function decodeJournal(value: JsonValue): Journal {
  if (!Array.isArray(value) || value.length !== 4 || value[0] !== version) throw otherRelease()
  const [, callId, asks, steps] = value as [number, unknown, unknown, unknown]
  if (typeof callId !== 'string' || !Array.isArray(asks) || !Array.isArray(steps)) throw otherRelease()
  return new Journal(callId, asks.map(decodeAsk), steps.map(decodeStep))
}

function encodeAsk({ id, fingerprint, label, decideByMs, isConcurrent, ended }: AskEntry): JsonValue {
  const entry = [id, fingerprint, label, decideByMs, isConcurrent === true ? 1 : 0]
  return ended === undefined ? entry : [...entry, ended.atMs, ...encodeEnding(ended.ending)]
}

function decodeAsk(value: unknown): AskEntry {
  if (!Array.isArray(value)) throw otherRelease()
  const [id, fingerprint, label, decideByMs, concurrent, atMs, code, more, comment] = value
  const isWhole = [id, fingerprint, label].every((text) => typeof text === 'string') && typeof decideByMs === 'number'
  if (!isWhole) throw otherRelease()
  const entry: AskEntry = { id, fingerprint, label, decideByMs, ...(concurrent === 1 ? { isConcurrent: true } : {}) }
  return atMs === undefined ? entry : { ...entry, ended: { atMs, ending: decodeEnding(code, more, comment) } }
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

/** A failed step has a third member, which a finished one cannot have. */
function encodeStep([name, step]: readonly [string, StepEntry]): JsonValue {
  if (step.kind === 'failed') return [name, step.message, step.code]
  return step.result === undefined ? [name] : [name, step.result]
}

function decodeStep(value: unknown): readonly [string, StepEntry] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') throw otherRelease()
  const [name, result, code] = value
  if (code === 'step_failed' || code === 'grant_refused')
    return [name, { kind: 'failed', code, message: String(result) }]
  return [name, value.length === 1 ? { kind: 'done' } : { kind: 'done', result }]
}

function otherRelease(): AssentError {
  return new AssentError('state_refused', 'This state was made by another release of the sdk. Start the call again.')
}
