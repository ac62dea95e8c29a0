// What came back from a person, or from whatever answered in their place.
//
// This is the one door from the wire into the rules. Only a well-formed accept whose content fits the question is a
// yes; everything else is a no or nothing at all. It does not know who answered or when.

import { digestOf } from '../digest/digest.ts'
import { type Checking, type ContentIssue, checkContent } from '../form/check.ts'
import { readObject } from '../form/foreign.ts'
import type { Content } from '../form/form.ts'
import { askLimits } from '../limits.ts'
import type { Question } from './question.ts'

export type Answer =
  | { readonly action: 'accept'; readonly content?: Content; readonly comment?: string }
  | { readonly action: 'decline'; readonly comment?: string }
  | { readonly action: 'cancel'; readonly comment?: string }

/** An answer without its content and comment, which their digests stand for. */
export interface AnswerDigests {
  readonly action: Answer['action']
  readonly contentDigest?: string
  readonly commentDigest?: string
}

export type Judged =
  | { readonly ok: true; readonly answer: Answer }
  /** Not one of the three answers at all. Nothing a person could mend. */
  | { readonly ok: false; readonly reason: 'malformed'; readonly message: string }
  /** A person meant yes, but what they filled in does not fit. On our own surfaces the ask stays open. */
  | { readonly ok: false; readonly reason: 'invalid'; readonly issues: readonly ContentIssue[] }

/** Judges anything at all as an answer to this question. */
export function judgeAnswer(question: Question, raw: unknown, checking: Pick<Checking, 'patterns'> = {}): Judged {
  const read = readObject(raw, askLimits.answerKeys)
  if (!read.ok) return malformed('An answer is an object with an action.')
  const action = read.entries.get('action')
  const comment = read.entries.get('comment')
  if (comment !== undefined && (typeof comment !== 'string' || !comment.isWellFormed())) {
    return malformed('A comment is text in whole characters.')
  }
  if (comment !== undefined && comment.length > askLimits.commentChars) {
    return malformed(`A comment has at most ${askLimits.commentChars} characters.`)
  }
  const said = comment === undefined || comment === '' ? {} : { comment }

  if (action === 'decline' || action === 'cancel') return { ok: true, answer: { action, ...said } }
  if (action !== 'accept') return malformed('The action is accept, decline or cancel.')

  const content = read.entries.get('content')
  if (question.kind !== 'form') {
    // Consent to a link or to an action has nothing to fill in: extra content would be content nobody was shown.
    if (!isNothing(content)) return malformed('This question takes a yes or a no, not content.')
    // A bare yes would tell the asking server that the secret is there, and it is not.
    if (question.kind === 'url' && question.secret !== undefined) return malformed(onItsPage)
    return { ok: true, answer: { action, ...said } }
  }
  const checked = checkContent(question.form, content, checking)
  if (!checked.ok) return { ok: false, reason: 'invalid', issues: checked.issues }
  return { ok: true, answer: { action, content: checked.content, ...said } }
}

export function answerDigests(answer: Answer): AnswerDigests {
  const content = answer.action === 'accept' ? answer.content : undefined
  return {
    action: answer.action,
    ...(content === undefined ? {} : { contentDigest: digestOf('content v1', content) }),
    ...(answer.comment === undefined ? {} : { commentDigest: digestOf('comment v1', answer.comment) }),
  }
}

const onItsPage = 'A secret is handed over on its own page, which is the only yes to this question. Open the link.'

function isNothing(content: unknown): boolean {
  if (content === undefined || content === null) return true
  const read = readObject(content, 0)
  return read.ok
}

function malformed(message: string): Judged {
  return { ok: false, reason: 'malformed', message }
}
