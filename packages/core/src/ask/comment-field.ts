// A form field that serves as the comment: a card then shows no second text box, and text typed there before a decline
// is the reason for it.

import type { Field } from '../form/form.ts'

const names = new Set(['comment', 'comments', 'feedback', 'note', 'notes', 'reason', 'revisionnotes'])

export function isCommentField(field: Pick<Field, 'kind' | 'name'>): boolean {
  return field.kind === 'text' && names.has(field.name.toLowerCase().replaceAll(/[_-]/g, ''))
}
