// Answers, and the check that every answer from outside passes through.
//
// Only a well-formed accept whose content fits the question is a yes. Everything else is a no or is refused. This module
// does not know who answered or when.

import { digestOf } from '../digest/digest.ts'
import { type ContentCheckOptions, type ContentIssue, checkContent } from '../form/check.ts'
import type { Content } from '../form/form.ts'
import { readObject } from '../form/untrusted.ts'
import { askLimits } from '../limits.ts'
import type { Question } from './question.ts'

export type Answer =
  | { readonly action: 'accept'; readonly content?: Content; readonly comment?: string }
  | { readonly action: 'decline'; readonly comment?: string }
  | { readonly action: 'cancel'; readonly comment?: string }

/** An answer with digests in place of its content and comment. */
export interface AnswerDigests {
  readonly action: Answer['action']
  readonly contentDigest?: string
  readonly commentDigest?: string
}

export type CheckedAnswer =
  | { readonly ok: true; readonly answer: Answer }
  /** Not one of the three actions. The person cannot correct it. */
  | { readonly ok: false; readonly reason: 'malformed'; readonly message: string }
  /** An accept whose content does not fit the form. On our own surfaces the ask stays open. */
  | { readonly ok: false; readonly reason: 'invalid'; readonly issues: readonly ContentIssue[] }

/** Checks any value as an answer to this question. */
export function checkAnswer(
  question: Question,
  raw: unknown,
  checking: Pick<ContentCheckOptions, 'patterns'> = {},
): CheckedAnswer {
  const read = readObject(raw, askLimits.answerKeys)
  if (!read.ok) return malformed('An answer is an object with an action.')
  const action = read.entries.get('action')
  const comment = read.entries.get('comment')
  if (comment !== undefined && (typeof comment !== 'string' || !comment.isWellFormed())) {
    return malformed('A comment must be text without broken characters.')
  }
  if (comment !== undefined && comment.length > askLimits.commentChars) {
    return malformed(`A comment has at most ${askLimits.commentChars} characters.`)
  }
  const withComment = comment === undefined || comment === '' ? {} : { comment }

  if (action === 'decline' || action === 'cancel') return { ok: true, answer: { action, ...withComment } }
  if (action !== 'accept') return malformed('The action is accept, decline or cancel.')

  const content = read.entries.get('content')
  if (question.kind !== 'form') {
    // Consent to a link or an action has no fields: content would be something that the person was not shown.
    if (!isNothing(content)) return malformed('This question takes a yes or a no, not content.')
    // An accept without the page would report to the server that the secret was entered.
    if (question.kind === 'url' && question.secret !== undefined) return malformed(secretPageOnly)
    if (question.kind === 'approval' && question.needsReason === true && withComment.comment === undefined)
      return malformed('This approval needs a reason. Write it in the comment.')
    return { ok: true, answer: { action, ...withComment } }
  }
  const checked = checkContent(question.form, content, checking)
  if (!checked.ok) return { ok: false, reason: 'invalid', issues: checked.issues }
  return { ok: true, answer: { action, content: checked.content, ...withComment } }
}

export function answerDigests(answer: Answer): AnswerDigests {
  const content = answer.action === 'accept' ? answer.content : undefined
  return {
    action: answer.action,
    ...(content === undefined ? {} : { contentDigest: digestOf('content v1', content) }),
    ...(answer.comment === undefined ? {} : { commentDigest: digestOf('comment v1', answer.comment) }),
  }
}

const secretPageOnly =
  'A secret is entered on its own page, which is the only way to accept this question. Open the link.'

function isNothing(content: unknown): boolean {
  if (content === undefined || content === null) return true
  const read = readObject(content, 0)
  return read.ok
}

function malformed(message: string): CheckedAnswer {
  return { ok: false, reason: 'malformed', message }
}
