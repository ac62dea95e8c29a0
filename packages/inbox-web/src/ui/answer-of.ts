// The answer that a button or a menu item sends, with what the person wrote.

import type { AnswerBody, AskView, ButtonView } from '@assent/core'
import { contentOf, type FormValues } from '../form/form-values.ts'

export interface Written {
  /** From the comment box. */
  readonly comment: string
  /** From the form. */
  readonly values: FormValues
}

/** A comment belongs to the form field that serves as one, if the answer fills in the form; otherwise beside the answer. */
export function answerOf(
  { buttons, commentField }: AskView,
  pressed: Pick<ButtonView, 'answer' | 'fillsIn'>,
  { comment, values }: Written,
): AnswerBody['answer'] {
  const { action, content } = pressed.answer
  const isForm = buttons.some(({ fillsIn }) => fillsIn === true)
  if (pressed.fillsIn === true) {
    const withComment = commentField === undefined ? commentMember(comment) : {}
    return { action, content: contentOf(values), ...withComment }
  }
  const written = isForm && commentField !== undefined ? String(values.get(commentField) ?? '') : comment
  if (content === undefined) return { action, ...commentMember(written) }
  if (commentField === undefined || written.trim() === '') return { action, content, ...commentMember(written) }
  return { action, content: Object.fromEntries([...Object.entries(content), [commentField, written.trim()]]) }
}

function commentMember(text: string): { readonly comment?: string } {
  const comment = text.trim()
  return comment === '' ? {} : { comment }
}
