// How every tool here asks: one form, and the person's comment.
//
// Questions come from an agent, so a form that asks for a secret is refused here with a message for an agent; the SDK's own
// message is for authors of servers.

import { compact, type Form, screenForSecrets } from '@assent/core'
import type { AnswersOf, Ask, Risk } from '@assent/sdk'
import { refuse } from './ending.ts'
import { noAnswerText } from './text/no-answer.ts'

export interface FormQuestion<F extends Form> {
  readonly message: string
  readonly form: F
  readonly risk?: Risk
  /** The paragraph of the message that Assent checked itself. */
  readonly checked?: string
}

export interface FormAnswer<F extends Form> {
  readonly content: AnswersOf<F>
  readonly comment?: string
}

export async function askForm<const F extends Form>(ask: Ask, asked: FormQuestion<F>): Promise<FormAnswer<F>> {
  const { message, form, risk = 'harmless', checked } = asked
  if (screenForSecrets(form.fields, message).length > 0) refuse(noAnswerText.noSecrets)
  const { value, comment } = await ask.withComment(ask.form(message, form, { risk, ...compact({ checked }) }))
  return { content: value, ...compact({ comment }) }
}
