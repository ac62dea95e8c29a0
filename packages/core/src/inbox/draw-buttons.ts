// The answers that one press sends, so that the web inbox and the terminal offer the same ones.
//
// A question that takes a yes or a no has two buttons, a single choice has one for each option. Only a form that takes more
// than that is filled in and then sent. The other answers, such as dismissing the question, are in a menu.

import type { Ask } from '../ask/ask.ts'
import { isCommentField } from '../ask/comment-field.ts'
import { approved, isApprovalForm, isDecision } from '../ask/decision.ts'
import { nameContent, verdicts } from '../ask/person-answer.ts'
import type { Content, Field, Form } from '../form/form.ts'
import { drawOptions, optionButtonsAtMost } from './draw-field.ts'
import type { AskView, ButtonView } from './view.ts'

const approve: ButtonView = { label: 'Approve', verdict: 'yes', key: 'y', answer: { action: 'accept' } }
const decline: ButtonView = { label: 'Decline', verdict: 'no', key: 'n', answer: { action: 'decline' } }
const fillIn: ButtonView = { label: 'Answer', verdict: 'yes', fillsIn: true, answer: { action: 'accept' } }

/** @param answers those that the person may give; without them there are no buttons */
export function drawButtons({ question }: Pick<Ask, 'question'>, answers: AskView['answers']): readonly ButtonView[] {
  if (!answers.includes('accept')) return answers.includes('decline') ? [decline] : []
  if (question.kind !== 'form') return [approve, decline]
  const { form, oneOf } = question
  if (isDecision(form)) {
    if (oneOf === undefined) return [{ ...approve, answer: { action: 'accept', content: approved } }, decline]
    // It is unknown which call is meant, so the labels do not promise an approval.
    return yesNo(approved, { decision: 'decline' })
  }
  if (isApprovalForm(form)) return [approve, decline]
  return optionButtons(form, oneOf === undefined) ?? [fillIn, decline]
}

/** Whether a yes to this question is called an approval; also for an ask that has ended and so has no buttons. */
export function offersApproval(ask: Pick<Ask, 'question'>): boolean {
  return drawButtons(ask, ['accept', 'decline']).some(({ label }) => label === approve.label)
}

/**
 * Undefined for a form that takes more than one decision and a comment.
 *
 * @param isCallKnown if not, no label promises an approval
 */
function optionButtons(form: Form, isCallKnown: boolean): readonly ButtonView[] | undefined {
  const comments = form.fields.filter(isCommentField)
  const [field, ...more] = form.fields.filter((one) => !isCommentField(one))
  if (field === undefined || more.length > 0 || comments.length > 1 || comments.some(isRequired)) return undefined
  if (field.kind === 'boolean') {
    const [yes, no] = [contentOf(field, true), contentOf(field, false)]
    const isApproval = isCallKnown && nameContent(form, yes) === 'approved'
    return yesNo(yes, no, {
      suggestion: field.default,
      ...(isApproval ? { labels: [approve.label, decline.label] } : {}),
    })
  }
  if (field.kind !== 'choice' || field.options.length > optionButtonsAtMost) return undefined
  return drawOptions(field).map(({ value, label, shownValue, isSuggested }, at) => {
    const content = contentOf(field, value)
    return {
      label,
      verdict: verdicts[nameContent(form, content)],
      key: String(at + 1),
      answer: { action: 'accept', content },
      ...(shownValue === undefined ? {} : { shownValue }),
      ...(isSuggested ? { isSuggested } : {}),
    }
  })
}

interface YesNo {
  readonly suggestion?: boolean | undefined
  readonly labels?: readonly [yes: string, no: string]
}

function yesNo(yes: Content, no: Content, { suggestion, labels = ['Yes', 'No'] }: YesNo = {}): readonly ButtonView[] {
  const marked = (answer: boolean) => (suggestion === answer ? ({ isSuggested: true } as const) : {})
  return [
    { label: labels[0], verdict: 'yes', key: 'y', answer: { action: 'accept', content: yes }, ...marked(true) },
    { label: labels[1], verdict: 'no', key: 'n', answer: { action: 'accept', content: no }, ...marked(false) },
  ]
}

/** Built with `Object.fromEntries`, because a server may call its field `__proto__`. */
function contentOf({ name }: Field, value: string | boolean): Content {
  return Object.fromEntries([[name, value]])
}

function isRequired({ required }: Field): boolean {
  return required
}
