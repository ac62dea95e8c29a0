// Whether a client's answer can have come from a person, and whether the client can show a question to one.
//
// An answer that arrives faster than a person can read the question, or that the client is known to send by itself, is
// not a person's, whether it accepts, declines or cancels. Its ask is `unseen`: the caller of this module asks on
// another surface, and without one never counts the answer as an approval. Whether content fits its form is checked
// elsewhere.

import type { Form } from '@assent/core'
import type { ClientTraits } from './traits.ts'

export interface ReceivedResponse {
  readonly action: 'accept' | 'decline' | 'cancel'
  /** Whether it contains content that a person had to enter. */
  readonly hasContent: boolean
  readonly afterMs: number
}

/** If a program may have answered, an answer counts only after this multiple of the minimum time for a person. */
const suspectFactor = 4

/** @param unseenAfterMs the minimum time in which a person can read a question and answer it */
export function answeredByPerson(traits: ClientTraits, came: ReceivedResponse, unseenAfterMs: number): boolean {
  // The clocks of two replicas differ by milliseconds, so an answer can seem to precede its question.
  const afterMs = Math.max(0, came.afterMs)
  if (afterMs < unseenAfterMs) return false
  if (came.action === 'accept') {
    return came.hasContent || !traits.acceptsEmptyFormByItself || afterMs >= suspectFactor * unseenAfterMs
  }
  if (traits.no === 'program') return false
  return afterMs >= (traits.no === 'person' ? 1 : suspectFactor) * unseenAfterMs
}

/** Why this client would not show the form completely, as text for the log; undefined when it would. */
export function drawingProblem({ title, form: drawing }: ClientTraits, form: Form): string | undefined {
  if (drawing.kinds.length === 0) return `${title} shows no forms, whatever it declares.`
  if (form.fields.length > drawing.fieldsMost) return `${title} shows ${drawing.fieldsMost} fields at most.`
  // A client is asked for a list as one string.
  const unsupported = form.fields.find(({ kind }) => !drawing.kinds.includes(kind === 'list' ? 'text' : kind))
  return unsupported === undefined ? undefined : `${title} cannot show a field for ${kindNames[unsupported.kind]}.`
}

const kindNames = {
  text: 'text',
  number: 'a number',
  boolean: 'yes or no',
  choice: 'one choice',
  choices: 'several choices',
  list: 'a list of texts',
} as const
