// The one text box beside the buttons. It shows who will receive the text before anything is typed.

import type { AskView } from '@assent/core'
import { Textarea } from '@mantine/core'
import { useState } from 'react'

interface Props {
  readonly ask: Pick<AskView, 'commentReaches' | 'commentField' | 'question' | 'buttons'>
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

export function CommentBox({ ask, value, error, onChange }: Props) {
  const { commentReaches, question } = ask
  const field = question.kind === 'form' ? question.fields.find(({ name }) => name === ask.commentField) : undefined
  const [isOpen, setOpen] = useState(field !== undefined)
  if (!isOpen && value === '') {
    return (
      <button type="button" className="link-button add-comment" data-comment="" onClick={() => setOpen(true)}>
        Add a comment
      </button>
    )
  }
  const reaches = commentReaches === 'asker' ? 'Sent with any answer.' : readersWithoutAsker(field !== undefined)
  return (
    <Textarea
      className="comment"
      data-comment=""
      labelProps={{ className: 'field-label' }}
      label={
        <>
          {field?.label ?? 'Comment'}
          <span className="optional">optional</span>
        </>
      }
      descriptionProps={{ className: 'comment-note' }}
      description={field?.help === undefined ? reaches : `${field.help} ${reaches}`}
      error={error}
      autosize
      minRows={field === undefined ? 1 : 2}
      autoFocus={field === undefined && isOpen}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  )
}

/** A form can carry the text only if it is answered. */
function readersWithoutAsker(isField: boolean): string {
  return isField ? 'If you decline or dismiss, it is saved in the audit log only.' : 'Saved in the audit log only.'
}
