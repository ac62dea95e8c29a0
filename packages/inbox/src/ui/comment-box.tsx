// The one box for what a person wants to add. It says who will read it before anything is typed.

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

/** What was written beside the answer: in the box, or before a decline or dismissal in the field that serves as one. */
export function commentOf(
  { commentField }: AskView,
  isAccept: boolean,
  typed: string,
  filled: ReadonlyMap<string, unknown>,
): { readonly comment?: string } {
  const inField = commentField === undefined || isAccept ? '' : String(filled.get(commentField) ?? '')
  const comment = (commentField === undefined ? typed : inField).trim()
  return comment === '' ? {} : { comment }
}
