// Whether a client's answer can have come from a person, and whether the client can bring a question before one.
//
// Only an accept with content that fits is a yes; that is judged elsewhere and needs no belief. Here a "no" is judged:
// one that came faster than anyone can read, or from a client that says no by itself, was said by nobody. Such an ask is
// `unseen`: it goes on to another surface, and where there is none nobody is told that a person refused.

import type { Form } from '@assent/core'
import type { ClientTraits } from './traits.ts'

export interface CameBack {
  readonly action: 'accept' | 'decline' | 'cancel'
  /** Whether it brought content that a person had to give. */
  readonly hasContent: boolean
  readonly afterMs: number
}

/** Where a program may have said no, it had longer to do so than a person needs to press Esc. */
const doubtFactor = 4

/** @param unseenAfterMs no person reads a question and answers it sooner */
export function wasSeen(traits: ClientTraits, came: CameBack, unseenAfterMs: number): boolean {
  if (came.action === 'accept') {
    return came.hasContent || !traits.acceptsEmptyFormByItself || came.afterMs >= doubtFactor * unseenAfterMs
  }
  if (traits.no === 'program') return false
  return came.afterMs >= (traits.no === 'person' ? 1 : doubtFactor) * unseenAfterMs
}

/** Why this client would not show the form as it is, in words for the record; undefined when it would. */
export function drawingProblem({ title, form: drawing }: ClientTraits, form: Form): string | undefined {
  if (drawing.kinds.length === 0) return `${title} shows no forms, whatever it declares.`
  if (form.fields.length > drawing.fieldsMost) return `${title} shows ${drawing.fieldsMost} fields at most.`
  const strange = form.fields.find(({ kind }) => !drawing.kinds.includes(kind))
  return strange === undefined ? undefined : `${title} cannot show a field for ${words[strange.kind]}.`
}

const words = {
  text: 'text',
  number: 'a number',
  boolean: 'yes or no',
  choice: 'one choice',
  choices: 'several choices',
} as const
