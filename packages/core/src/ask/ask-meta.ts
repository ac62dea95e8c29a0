// The `_meta` members that our SDK and our gateway add to a question and its answer.
//
// The protocol has no field for how long the asker waits or for a person's comment. The gateway declares `askCapability`
// (under `experimental`) to servers; an asker puts `askMetaKey` on its question; only then does the gateway put
// `answerMetaKey` on the answer. Members from outside are checked here; a malformed one counts as absent.

import { isPlainObject, type JsonObject } from '../json.ts'
import { askLimits } from '../limits.ts'

/** Name of the experimental client capability: the other side understands both members below. */
export const askCapability = 'assent/ask'
/** In `_meta` of a question. */
export const askMetaKey = 'assent/ask'
/** In `_meta` of an answer, and only of an answer to a question that carried `askMetaKey`. */
export const answerMetaKey = 'assent/answer'

export interface AskMeta {
  /** How long the asker still waits, counted from when the question arrives. */
  readonly waitMs?: number
  /** The asker's author did not choose `waitMs`: if the caller can come back later, the gateway may wait longer. */
  readonly isDefault?: true
  /**
   * What Assent's own tools checked themselves. The gateway accepts it from its built-in tools only. The message
   * contains it too, as `checkedBlock` writes it, so that a client which draws the form itself shows it.
   */
  readonly checked?: string
  /** The asker says that what follows a yes cannot be undone. */
  readonly isDestructive?: true
  /** The id of the request in which the server asks. It distinguishes overlapping calls of one session. */
  readonly call?: string | number
}

export interface AnswerMeta {
  readonly comment?: string
}

/** Undefined when the question does not carry our member: the server does not use our SDK. */
export function readAskMeta(params: unknown): AskMeta | undefined {
  const member = memberOf(params, askMetaKey)
  if (member === undefined) return undefined
  const { waitMs, isDefault, checked, isDestructive, call } = member
  return {
    ...(isWait(waitMs) ? { waitMs, ...(isDefault === true ? { isDefault } : {}) } : {}),
    ...(isText(checked, askLimits.messageChars) ? { checked } : {}),
    ...(isDestructive === true ? { isDestructive } : {}),
    ...(typeof call === 'number' || isText(call, askLimits.callIdChars) ? { call } : {}),
  }
}

export function readAnswerMeta(result: unknown): AnswerMeta {
  const { comment } = memberOf(result, answerMetaKey) ?? {}
  return isText(comment, askLimits.commentChars) ? { comment } : {}
}

export function askMeta(meta: AskMeta): JsonObject {
  return { [askMetaKey]: { ...meta } }
}

export function answerMeta(meta: AnswerMeta): JsonObject {
  return { [answerMetaKey]: { ...meta } }
}

const checkedHeading = 'Checked by Assent:'
/** Begins a finding that speaks against a yes, after the dash of its line. */
export const problemMark = '⚠ '

/** The checked text as a paragraph of a message. */
export function checkedBlock(checked: string): string {
  return `${checkedHeading}\n${checked}`
}

/** The message without the checked paragraph; undefined when the message has no such paragraph. */
export function withoutChecked(message: string, checked: string): string | undefined {
  const padded = `\n\n${message}\n\n`
  const paragraph = `\n\n${checkedBlock(checked)}\n\n`
  const at = padded.indexOf(paragraph)
  if (checked === '' || at < 0) return undefined
  return `${padded.slice(0, at)}\n\n${padded.slice(at + paragraph.length)}`.replace(/^\n+|\n+$/g, '')
}

/** Whether the other side declared that it understands the members above. */
export function understandsAskMeta(capabilities: unknown): boolean {
  const experimental = isPlainObject(capabilities) ? capabilities.experimental : undefined
  return isPlainObject(experimental) && isPlainObject(experimental[askCapability])
}

function memberOf(holder: unknown, key: string): Readonly<Record<string, unknown>> | undefined {
  const meta = isPlainObject(holder) ? holder._meta : undefined
  const member = isPlainObject(meta) && Object.hasOwn(meta, key) ? meta[key] : undefined
  return isPlainObject(member) ? member : undefined
}

function isWait(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= askLimits.decideMaxMs
}

function isText(value: unknown, maxChars: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxChars && value.isWellFormed()
}
