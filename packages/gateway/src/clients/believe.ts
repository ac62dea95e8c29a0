// Whether a client's answer can have come from a person, and whether the client can show a question to one.
//
// An answer that arrives faster than a person can read the question, or that the client is known to send by itself, is
// not a person's, whether it accepts, declines or cancels. Its ask is `unseen`: the caller of this module asks on another
// surface, and without one never counts the answer as an approval. Whether content fits its form is checked elsewhere.

import type { Form } from '@assent/core'
import type { ClientTraits } from './traits.ts'

export interface CameBack {
  readonly action: 'accept' | 'decline' | 'cancel'
  /** Whether it brought content that a person had to give. */
  readonly hasContent: boolean
  readonly afterMs: number
}

/** Where a program may have answered, an answer counts only after a multiple of the time a person needs at least. */
const doubtFactor = 4

/** @param unseenAfterMs no person reads a question and answers it sooner */
export function wasSeen(traits: ClientTraits, came: CameBack, unseenAfterMs: number): boolean {
  // Two replicas know the database's time to within milliseconds, so an answer can seem to precede its question.
  const afterMs = Math.max(0, came.afterMs)
  if (afterMs < unseenAfterMs) return false
  if (came.action === 'accept') {
    return came.hasContent || !traits.acceptsEmptyFormByItself || afterMs >= doubtFactor * unseenAfterMs
  }
  if (traits.no === 'program') return false
  return afterMs >= (traits.no === 'person' ? 1 : doubtFactor) * unseenAfterMs
}

/** Why this client would not show the form as it is, in words for the record; undefined when it would. */
export function drawingProblem({ title, form: drawing }: ClientTraits, form: Form): string | undefined {
  if (drawing.kinds.length === 0) return `${title} shows no forms, whatever it declares.`
  if (form.fields.length > drawing.fieldsMost) return `${title} shows ${drawing.fieldsMost} fields at most.`
  // A client is asked for a list as one text.
  const strange = form.fields.find(({ kind }) => !drawing.kinds.includes(kind === 'list' ? 'text' : kind))
  return strange === undefined ? undefined : `${title} cannot show a field for ${words[strange.kind]}.`
}

const words = {
  text: 'text',
  number: 'a number',
  boolean: 'yes or no',
  choice: 'one choice',
  choices: 'several choices',
  list: 'a list of texts',
} as const
