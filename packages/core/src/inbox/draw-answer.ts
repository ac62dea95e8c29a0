// A person's answer as text: a short label for a row of the history, and a verb for a sentence about it.

import type { Answer } from '../ask/answer.ts'
import { isCommentField } from '../ask/comment-field.ts'
import { type AnswerName, decisionField, nameAnswer, verdicts } from '../ask/person-answer.ts'
import type { Question } from '../ask/question.ts'
import { drawFieldValue, shownTitle } from './draw-field.ts'
import type { AnsweredAs } from './view.ts'

const answerLabels: Readonly<Record<AnswerName, string>> = {
  yes: 'Yes',
  no: 'No',
  approved: 'Approved',
  changes_requested: 'Changes requested',
  paused: 'Paused',
  cancelled: 'Cancelled',
  answered: 'Answered',
  declined: 'Declined',
  dismissed: 'Dismissed',
}

const answerVerbs: Readonly<Record<AnswerName, string>> = {
  yes: 'answered Yes',
  no: 'answered No',
  approved: 'approved this',
  changes_requested: 'requested changes',
  paused: 'chose to pause',
  cancelled: 'chose to cancel',
  answered: 'answered this',
  declined: 'declined this',
  dismissed: 'dismissed this',
}

export function drawAnswer(question: Question, answer: Answer): AnsweredAs {
  const name = nameAnswer(question, answer)
  return { name, verdict: verdicts[name], text: chosenLabel(question, answer, name) ?? answerLabels[name] }
}

/** What the person did, as the verb of a sentence about them. */
export function answerVerb(question: Question, answer: Answer): string {
  const name = nameAnswer(question, answer)
  const label = chosenLabel(question, answer, name)
  if (label === undefined) return answerVerbs[name]
  return question.kind === 'url' ? 'sent the secret' : `chose “${label}”`
}

/** For an answer without a yes or a no: the label of the chosen option, if there was one. */
function chosenLabel(question: Question, answer: Answer, name: AnswerName): string | undefined {
  if (name !== 'answered' || answer.action !== 'accept') return undefined
  if (question.kind === 'url') return 'Secret sent'
  const content = answer.content ?? {}
  const fields = question.kind === 'form' ? question.form.fields.filter((field) => !isCommentField(field)) : []
  const field = decisionField(fields)
  if (field === undefined || !Object.hasOwn(content, field.name)) return undefined
  return shownTitle(drawFieldValue(field, content[field.name]))
}
