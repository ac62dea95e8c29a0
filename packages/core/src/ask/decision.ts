// The form that carries an approval where there is only a form to carry it: one word to choose, none chosen beforehand.
//
// Not an empty form: some clients accept what has no fields by themselves, and some turn what they cannot draw into a
// bare yes.
//
// A server that asks like this wants a yes or a no and nothing filled in, so our own surfaces show it as one. Only the
// exact form counts: another label or a word of explanation is something a person has to read first.

import { canonicalJson } from '../digest/canonical.ts'
import { choice, form } from '../form/build.ts'
import type { Content, Form, FormOf } from '../form/form.ts'

export const decisionForm: FormOf<{ readonly decision: 'approve' | 'decline' }> = form({
  decision: choice({ approve: 'Approve', decline: 'Decline' }, { title: 'Decision' }),
})

/** What an accept has to hold to be a yes. */
export const approved: Content = { decision: 'approve' }

const exactly = canonicalJson(decisionForm)

export function isDecision(asked: Form): boolean {
  return asked.fields.length === 1 && canonicalJson(asked) === exactly
}

/** Whether accepting this form can mean nothing but yes: our decision form, or a form without fields. */
export function isApprovalForm(asked: Form): boolean {
  return asked.fields.length === 0 || isDecision(asked)
}
