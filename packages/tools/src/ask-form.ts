// How every tool here asks: one form, and the person's comment.
//
// Questions come from an agent, so a form that asks for a secret is refused here with a message for an agent; the SDK's own
// message is for authors of servers.

import { compact, type Form, screenForSecrets } from '@assent/core'
import type { AnswersOf, Ask, Risk } from '@assent/sdk'
import { refuse } from './ending.ts'

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
  if (screenForSecrets(form.fields, message).length > 0) refuse(noSecrets)
  const { value, comment } = await ask.withComment(ask.form(message, form, { risk, ...compact({ checked }) }))
  return { content: value, ...compact({ comment }) }
}

const noSecrets =
  'This tool cannot ask for secrets (passwords, keys, tokens, codes). Ask the user in the chat to enter the secret ' +
  'themselves where it is needed, for example in an environment variable, a local file that is not committed, or the ' +
  "program's own login, and to reply when that is done. Do not ask them to paste it."
