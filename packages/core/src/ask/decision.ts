// The form that carries an approval over a protocol that has only forms: one choice, nothing preselected.
//
// Not an empty form: some clients accept a form without fields by themselves, and some accept a form that they cannot
// draw.
//
// Our own surfaces show this form as a plain yes/no question. Only the exact form counts: another label or a description
// is something that the person must read first.

import { canonicalJson } from '../digest/canonical.ts'
import { choice, form } from '../form/build.ts'
import type { Content, Form, FormOf } from '../form/form.ts'

export const decisionForm: FormOf<{ readonly decision: 'approve' | 'decline' }> = form({
  decision: choice({ approve: 'Approve', decline: 'Decline' }, { title: 'Decision' }),
})

/** The content of an accept that is a yes. */
export const approved: Content = { decision: 'approve' }

const exactly = canonicalJson(decisionForm)

export function isDecision(asked: Form): boolean {
  return asked.fields.length === 1 && canonicalJson(asked) === exactly
}

/** Whether accepting this form can mean nothing but yes: our decision form, or a form without fields. */
export function isApprovalForm(asked: Form): boolean {
  return asked.fields.length === 0 || isDecision(asked)
}
