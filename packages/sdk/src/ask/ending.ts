// How one ask ended, and what that means to the handler that asked: a value, or an error with a code.
//
// Only `accepted` is a yes. Every other ending has its own error code and message, because author, model and person must react
// differently to a decline, a timeout and a client that cannot ask.

import {
  type Answer,
  AssentError,
  type CheckedAnswer,
  type Content,
  type ContentIssue,
  checkAnswer,
  compact,
  isAssentError,
  isPlainObject,
  oneLine,
  trustedPatterns,
} from '@assent/core'
import type { Description } from './describe.ts'
import { askLabel } from './label.ts'

export type Ending =
  | { readonly kind: 'accepted'; readonly content?: Content; readonly comment?: string }
  | { readonly kind: 'declined'; readonly comment?: string }
  /** The person dismissed it, or the call ended while it was open. */
  | { readonly kind: 'cancelled'; readonly comment?: string; readonly endOfCall?: EndOfCall }
  | { readonly kind: 'timed_out' }
  /** An approval that is not a person's: it arrived faster than a person can read. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'channel_closed'; readonly why: string }
  | { readonly kind: 'not_supported'; readonly why: string }
  | { readonly kind: 'validation_failed'; readonly why: string }

/** What ended a call whose question was still open. */
export type EndOfCall = 'cancelled by its caller' | 'handler ended'

/** A reply that is not an answer, and why. A store refuses it too. */
export class InvalidReply {
  readonly why: string

  constructor(refused: Extract<CheckedAnswer, { ok: false }>) {
    this.why = refused.reason === 'malformed' ? refused.message : issuesText(refused.issues)
  }
}

/** Checks an untrusted value as the answer to this question. */
export function endingOf({ question }: Description, raw: unknown): Ending {
  if (raw instanceof InvalidReply) return { kind: 'validation_failed', why: raw.why }
  const judged = checkAnswer(question, raw, { patterns: trustedPatterns })
  if (judged.ok)
    return judged.answer.action === 'cancel' ? withoutChoice(judged.answer, raw) : endingOfAnswer(judged.answer)
  return { kind: 'validation_failed', why: new InvalidReply(judged).why }
}

/**
 * Our gateway marks a cancel that stands for an expired question, an invalid answer or an error of the client. Another
 * client that sets the mark only turns one no into another.
 */
function withoutChoice(answer: Answer, raw: unknown): Ending {
  const meta = isPlainObject(raw) && isPlainObject(raw._meta) ? raw._meta : {}
  switch (meta['assent/no-answer']) {
    case 'expired':
      return { kind: 'timed_out' }
    case 'unseen':
      return { kind: 'unseen' }
    case 'malformed':
      return { kind: 'validation_failed', why: reasonIn(meta) ?? 'the reply does not fit the question.' }
    case 'failed':
      return { kind: 'channel_closed', why: reasonIn(meta) ?? 'the client reported an error.' }
    case 'unverified':
      return { kind: 'validation_failed', why: 'the stored answer does not match its signatures.' }
    default:
      return endingOfAnswer(answer)
  }
}

const reasonChars = 1_000

function reasonIn(meta: Readonly<Record<string, unknown>>): string | undefined {
  const reason = meta['assent/reason']
  return typeof reason === 'string' ? oneLine(reason, 'terminal', { maxChars: reasonChars }) : undefined
}

export function endingOfAnswer(answer: Answer): Ending {
  const comment = commentMember(answer.comment)
  switch (answer.action) {
    case 'accept':
      return { kind: 'accepted', ...compact({ content: answer.content }), ...comment }
    case 'decline':
      return { kind: 'declined', ...comment }
    case 'cancel':
      return { kind: 'cancelled', ...comment }
  }
}

/** The comment that the person wrote with their answer. */
export function commentOf(ending: Ending): string | undefined {
  return 'comment' in ending ? ending.comment : undefined
}

function commentMember(comment: string | undefined): { readonly comment?: string } {
  return comment === undefined ? {} : { comment }
}

/** What the handler gets: the accepted value, the value of a decline, the fallback, or an error. */
export async function answerValue<Value>(description: Description<Value>, ending: Ending): Promise<Value> {
  if (ending.kind === 'accepted') return validatedValue(description, ending.content ?? {})
  if (ending.kind === 'declined' && description.declined !== undefined) return description.declined.value
  // Only if no person can be asked: a person who was asked and did not answer has not agreed to the fallback.
  if (ending.kind === 'not_supported' && description.options.fallback !== undefined)
    return description.options.fallback.value
  throw new AssentError(ending.kind, endingMessage(description, ending), commentMember(commentOf(ending)))
}

async function validatedValue<Value>(description: Description<Value>, content: Content): Promise<Value> {
  try {
    return await description.toValue(content)
  } catch (error) {
    if (!isAssentError(error)) throw failedCheck(description, error)
    if (error.code !== 'validation_failed') throw error
    const message = endingMessage(description, { kind: 'validation_failed', why: error.message })
    throw new AssentError('validation_failed', message, { cause: error })
  }
}

/** The answer may be right: the person and the model cannot correct this, only the author can. */
function failedCheck(description: Description, error: unknown): AssentError {
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  const message = `The schema or \`validate\` of "${askLabel(description)}" failed: ${why}`
  return new AssentError('misconfigured', message, { cause: error })
}

function endingMessage(description: Description, ending: Exclude<Ending, { kind: 'accepted' }>): string {
  const asked = `"${askLabel(description)}"`
  switch (ending.kind) {
    case 'declined':
      return `The person declined ${asked}.${wrote(ending.comment)}`
    case 'cancelled':
      if (ending.endOfCall === 'cancelled by its caller')
        return `The caller cancelled the call, so ${asked} was not answered.`
      if (ending.endOfCall === 'handler ended') return `The handler ended before ${asked} was answered.`
      return `The person dismissed ${asked} without a choice.${wrote(ending.comment)}`
    case 'timed_out':
      return `No person answered ${asked} in time.`
    case 'unseen':
      return `The client accepted ${asked} faster than a person can read it, so it does not count as approved.`
    case 'channel_closed':
      return `The connection closed while ${asked} was open: ${ending.why}`
    case 'not_supported':
      return `No person could be asked ${asked}: ${ending.why}`
    case 'validation_failed':
      return `The answer to ${asked} is not valid: ${ending.why}`
  }
}

function wrote(comment: string | undefined): string {
  return comment === undefined ? '' : ` They wrote: ${comment}`
}

function issuesText(issues: readonly ContentIssue[]): string {
  return issues.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join(' ')
}
