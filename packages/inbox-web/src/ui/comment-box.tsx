// The comment field of a card. It shows who will receive the comment before anything is typed.

import type { AskView } from '@assent/core'
import { Textarea } from '@mantine/core'

interface Props {
  readonly reaches: AskView['commentReaches']
  readonly value: string
  readonly onChange: (value: string) => void
}

export function CommentBox({ reaches, value, onChange }: Props) {
  return (
    <Textarea
      className="comment"
      labelProps={{ className: 'field-label' }}
      label={
        <>
          Comment<span className="optional">optional</span>
        </>
      }
      descriptionProps={{ className: 'comment-note' }}
      description={reaches === 'asker' ? 'Sent with any answer.' : 'Saved in the audit log only'}
      rows={1}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** The comment: from this field, or, when declining or dismissing, from the form field that serves as one. */
export function commentOf(
  { commentField }: AskView,
  isAccept: boolean,
  typed: string,
  values: ReadonlyMap<string, unknown>,
): { readonly comment?: string } {
  const fromForm = commentField === undefined || isAccept ? '' : String(values.get(commentField) ?? '')
  const comment = (commentField === undefined ? typed : fromForm).trim()
  return comment === '' ? {} : { comment }
}
