// The person's actual answer, named from the question and what they filled in.
//
// An accept only means that a form was submitted. Whether it is a yes depends on the form: "No" to a yes/no question, a
// cancelled plan and a request for changes are accepts too. History, statistics, the audit log and metrics use this name.
// The names are a closed set without content, so they may appear in logs and metrics.

import type { Content, Field, Form } from '../form/form.ts'
import type { Answer } from './answer.ts'
import type { AskState } from './ask.ts'
import { isCommentField } from './comment-field.ts'
import { type AskOutcome, askOutcomeOf } from './outcome.ts'
import type { Question } from './question.ts'

export type AnswerName =
  | 'yes'
  | 'no'
  | 'approved'
  | 'changes_requested'
  | 'paused'
  /** The person chose to cancel what was asked about; closing the question without a choice is `dismissed`. */
  | 'cancelled'
  /** Filled in, without a yes or a no. */
  | 'answered'
  | 'declined'
  | 'dismissed'

export type Verdict = 'yes' | 'no' | 'neutral'

/** How an ask ended: the person's answer, or why there is none. */
export type NamedOutcome = AnswerName | Exclude<AskOutcome, 'accepted' | 'declined' | 'cancelled'>

export const verdicts: Readonly<Record<AnswerName, Verdict>> = {
  yes: 'yes',
  no: 'no',
  approved: 'yes',
  changes_requested: 'no',
  paused: 'neutral',
  cancelled: 'no',
  answered: 'neutral',
  declined: 'no',
  dismissed: 'neutral',
}

export const namedOutcomes: readonly NamedOutcome[] = [
  'yes',
  'no',
  'approved',
  'changes_requested',
  'paused',
  'cancelled',
  'answered',
  'declined',
  'dismissed',
  'undelivered',
  'expired',
  'withdrawn',
  'unseen',
  'undeliverable',
]

/** Undefined while the ask is open. */
export function namedOutcomeOf(question: Question, state: AskState): NamedOutcome | undefined {
  if (state.kind === 'settled' && state.undeliveredAtMs === undefined) return nameAnswer(question, state.answer)
  // Only a settled ask that was delivered has one of the three, and it returned above.
  return askOutcomeOf(state) as Exclude<AskOutcome, 'accepted' | 'declined' | 'cancelled'> | undefined
}

export function nameAnswer(question: Question, answer: Answer): AnswerName {
  if (answer.action === 'decline') return 'declined'
  if (answer.action === 'cancel') return 'dismissed'
  if (question.kind === 'form') {
    const name = nameContent(question.form, answer.content ?? {})
    // It is unknown which of the calls the person said yes to.
    return name === 'approved' && question.oneOf !== undefined ? 'yes' : name
  }
  return question.kind === 'url' && question.secret !== undefined ? 'answered' : 'approved'
}

/** The name of an accept with this content. */
export function nameContent(form: Form, content: Content): AnswerName {
  if (form.fields.length === 0) return 'approved'
  const fields = form.fields.filter((field) => !isCommentField(field))
  return nameOfChoice(decisionField(fields), content) ?? nameOfBooleans(fields, content)
}

/**
 * Whether an accept of this form can be a yes: it has no fields, a yes/no field, or a choice that decides with an option that
 * means yes.
 */
export function canBeYes(form: Form): boolean {
  const fields = form.fields.filter((field) => !isCommentField(field))
  if (form.fields.length === 0 || fields.some(({ kind }) => kind === 'boolean')) return true
  const deciding = decisionField(fields)
  if (deciding?.kind !== 'choice') return false
  return deciding.options.some(({ value }) => verdicts[nameContent(form, { [deciding.name]: value })] === 'yes')
}

/** The choice that decides: the only field, or one that is called `decision`. */
export function decisionField(fields: readonly Field[]): Field | undefined {
  const [first, ...more] = fields
  const deciding = fields.find((field) => field.kind === 'choice' && field.name === 'decision')
  return deciding ?? (more.length === 0 && first?.kind === 'choice' ? first : undefined)
}

function nameOfChoice(field: Field | undefined, content: Content): AnswerName | undefined {
  if (field === undefined || !Object.hasOwn(content, field.name)) return undefined
  const name = String(content[field.name])
    .toLowerCase()
    .replaceAll(/[\s-]+/g, '_')
  return Object.hasOwn(choices, name) ? choices[name] : 'answered'
}

/** Names by the value of the chosen option, because the asker receives the value and not its label. */
const choices: Readonly<Record<string, AnswerName>> = {
  yes: 'yes',
  y: 'yes',
  true: 'yes',
  ok: 'yes',
  continue: 'yes',
  proceed: 'yes',
  approve: 'approved',
  approved: 'approved',
  accept: 'approved',
  allow: 'approved',
  confirm: 'approved',
  commit_and_continue: 'approved',
  request_changes: 'changes_requested',
  changes_requested: 'changes_requested',
  revise: 'changes_requested',
  commit_and_pause: 'paused',
  pause: 'paused',
  cancel: 'cancelled',
  abort: 'cancelled',
  stop: 'cancelled',
  no: 'no',
  n: 'no',
  false: 'no',
  decline: 'declined',
  deny: 'declined',
  reject: 'declined',
  refuse: 'declined',
}

// All of them must be ticked: a plan that is confirmed without its risks is not a yes.
const consentNames = new Set(['approved', 'confirmed', 'confirm', 'understood_risks'])

function nameOfBooleans(fields: readonly Field[], content: Content): AnswerName {
  const [first, ...more] = fields
  const isOnly = more.length === 0 && first?.kind === 'boolean'
  const deciding = isOnly ? [first] : fields.filter(({ kind, name }) => kind === 'boolean' && consentNames.has(name))
  const values = deciding.map(({ name }) => (Object.hasOwn(content, name) ? content[name] : undefined))
  const isApproval = deciding.some(({ name }) => name === 'approved')
  if (values.includes(false)) return isApproval ? 'declined' : 'no'
  if (values.length === 0 || values.includes(undefined)) return 'answered'
  return isApproval ? 'approved' : 'yes'
}
