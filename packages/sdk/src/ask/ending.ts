// How one ask ended, and what that means to the handler that asked: a value, or an error with a code.
//
// Only `accepted` is a yes. The endings stay apart all the way into the words of the error, because the author, the
// model and the person must do different things after "no", "nobody answered" and "nobody could be asked".

import {
  type Answer,
  AssentError,
  type Content,
  type ContentIssue,
  isPlainObject,
  judgeAnswer,
  oneLine,
  ownPatterns,
} from '@assent/core'
import type { Description } from './describe.ts'
import { labelOf } from './label.ts'

export type Ending =
  | { readonly kind: 'accepted'; readonly content?: Content; readonly comment?: string }
  | { readonly kind: 'declined'; readonly comment?: string }
  | { readonly kind: 'cancelled'; readonly comment?: string }
  | { readonly kind: 'timed_out' }
  /** An approval that is not a person's: it came faster than one can read. */
  | { readonly kind: 'unseen' }
  | { readonly kind: 'channel_closed'; readonly why: string }
  | { readonly kind: 'not_supported'; readonly why: string }
  | { readonly kind: 'validation_failed'; readonly why: string }

/** Judges anything at all as the answer to this question. */
export function endingOf({ question }: Description, raw: unknown): Ending {
  const judged = judgeAnswer(question, raw, { patterns: ownPatterns })
  if (judged.ok)
    return judged.answer.action === 'cancel' ? withoutChoice(judged.answer, raw) : endingOfAnswer(judged.answer)
  return {
    kind: 'validation_failed',
    why: judged.reason === 'malformed' ? judged.message : issuesInWords(judged.issues),
  }
}

/**
 * Our gateway marks a cancel that stands for an expired question or an invalid answer. Another client that sets the mark
 * only turns one no into another.
 */
function withoutChoice(answer: Answer, raw: unknown): Ending {
  const meta = isPlainObject(raw) && isPlainObject(raw._meta) ? raw._meta : {}
  switch (meta['assent/no-answer']) {
    case 'expired':
      return { kind: 'timed_out' }
    case 'unseen':
      return { kind: 'unseen' }
    case 'malformed':
      return { kind: 'validation_failed', why: reasonIn(meta) ?? 'what came back does not fit the question.' }
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
  const comment = given(answer.comment)
  switch (answer.action) {
    case 'accept':
      return { kind: 'accepted', ...(answer.content === undefined ? {} : { content: answer.content }), ...comment }
    case 'decline':
      return { kind: 'declined', ...comment }
    case 'cancel':
      return { kind: 'cancelled', ...comment }
  }
}

/** What the person wrote beside their answer. */
export function commentIn(ending: Ending): string | undefined {
  return 'comment' in ending ? ending.comment : undefined
}

function given(comment: string | undefined): { readonly comment?: string } {
  return comment === undefined ? {} : { comment }
}

/** What the handler gets: the value of a yes, the worth of a no, the default, or the error. */
export async function worthOf<Value>(description: Description<Value>, ending: Ending): Promise<Value> {
  if (ending.kind === 'accepted') return taken(description, ending.content ?? {})
  if (ending.kind === 'declined' && description.declined !== undefined) return description.declined.value
  // Only when nobody can be asked: a person who was asked and stayed silent has not agreed to the default.
  if (ending.kind === 'not_supported' && description.how.fallback !== undefined) return description.how.fallback.value
  throw new AssentError(ending.kind, inWords(description, ending), given(commentIn(ending)))
}

async function taken<Value>(description: Description<Value>, content: Content): Promise<Value> {
  try {
    return await description.take(content)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new AssentError('validation_failed', inWords(description, { kind: 'validation_failed', why }), {
      cause: error,
    })
  }
}

function inWords(description: Description, ending: Exclude<Ending, { kind: 'accepted' }>): string {
  const asked = `"${labelOf(description)}"`
  switch (ending.kind) {
    case 'declined':
      return `The person declined ${asked}.${wrote(ending.comment)}`
    case 'cancelled':
      return `The person dismissed ${asked} without a choice.${wrote(ending.comment)}`
    case 'timed_out':
      return `Nobody answered ${asked} in time.`
    case 'unseen':
      return `The client accepted ${asked} faster than a person can read it, so it does not count as approved.`
    case 'channel_closed':
      return `The connection closed while ${asked} was open: ${ending.why}`
    case 'not_supported':
      return `Nobody could be asked ${asked}: ${ending.why}`
    case 'validation_failed':
      return `The answer to ${asked} is not valid: ${ending.why}`
  }
}

function wrote(comment: string | undefined): string {
  return comment === undefined ? '' : ` They wrote: ${comment}`
}

function issuesInWords(issues: readonly ContentIssue[]): string {
  return issues.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`)).join(' ')
}
