// An answer as it is shown afterwards: parts that look like a secret are hidden, whether they are still stored or not.

import type { Answer } from '../ask/answer.ts'
import { answerWarnings } from '../ask/answer-warnings.ts'
import type { StoredVote } from '../ask/ask.ts'
import type { Question } from '../ask/question.ts'
import type { Content } from '../form/form.ts'

const hiddenSecret = '(secret, not shown)'

export function withoutSecrets(question: Question, { answer, isSecret, deleted }: Omit<StoredVote, 'by'>): Answer {
  if (isSecret !== true) return answer
  const found = answerWarnings(question, answer)
  const isHidden = found.some((one) => one.in === 'comment') || (deleted?.commentDigest && answer.comment === undefined)
  const comment = isHidden ? { comment: hiddenSecret } : {}
  if (answer.action !== 'accept') return { ...answer, ...comment }
  const names = found.flatMap((one) => (one.in === 'comment' ? [] : [one.in.field]))
  // Deleted content is gone as a whole, so any text of the form may have been the secret.
  const isGone = deleted?.contentDigest !== undefined && answer.content === undefined
  const hidden = isGone && question.kind === 'form' ? textFieldsOf(question) : names
  const content: Content = { ...answer.content, ...Object.fromEntries(hidden.map((name) => [name, hiddenSecret])) }
  return { ...answer, ...(hidden.length === 0 ? {} : { content }), ...comment }
}

function textFieldsOf({ form }: Question & { kind: 'form' }): string[] {
  return form.fields.filter(({ kind }) => kind === 'text' || kind === 'list').map(({ name }) => name)
}
