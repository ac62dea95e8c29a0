// Finds a person's comment in the places where clients put it.
//
// Our own surfaces send it as `comment`. Over the protocol it arrives in our `_meta` member, or, from clients that
// send it with a decline or a cancel, as `content.comment`. A malformed comment counts as absent: it must not turn a
// clear decline into an invalid answer.

import { isPlainObject } from '../json.ts'
import { askLimits } from '../limits.ts'
import { readAnswerMeta } from './ask-meta.ts'

/** The answer with its comment as the member `comment`, where `checkAnswer` reads it. */
export function liftComment(raw: unknown): unknown {
  if (!isPlainObject(raw)) return raw
  const comment = readAnswerMeta(raw).comment ?? contentComment(raw)
  return comment === undefined ? raw : { ...raw, comment }
}

/** Only without an accept: the content of an accept belongs to the form. */
function contentComment({ action, content, comment }: Readonly<Record<string, unknown>>): string | undefined {
  if (comment !== undefined || (action !== 'decline' && action !== 'cancel')) return undefined
  const written = isPlainObject(content) && Object.hasOwn(content, 'comment') ? content.comment : undefined
  if (typeof written !== 'string' || !written.isWellFormed()) return undefined
  const text = written.trim()
  return text === '' || text.length > askLimits.commentChars ? undefined : text
}
