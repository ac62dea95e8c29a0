// The one text box beside the buttons. It shows who will receive the text before anything is typed.
//
// It is open if the asker's form has a field for it, or if a yes needs a reason; otherwise a link opens it. Beside a secret there is none.

import type { AskView } from '@assent/core'
import { Textarea } from '@mantine/core'
import { useState } from 'react'
import { cardText } from '../text/card.ts'
import { askerName } from './who-asks.ts'

const words = cardText.comment

interface Props {
  readonly ask: AskView
  readonly value: string
  readonly error: string | undefined
  readonly onChange: (value: string) => void
}

export function CommentBox({ ask, value, error, onChange }: Props) {
  const { question } = ask
  const field = question.kind === 'form' ? question.fields.find(({ name }) => name === ask.commentField) : undefined
  const isRequired = question.kind === 'approval' && question.needsReason === true
  const [isOpen, setOpen] = useState(field !== undefined || isRequired)
  if (!isOpen && value === '') {
    return (
      <p className="add-comment">
        <button type="button" className="link-button" data-comment="" onClick={() => setOpen(true)}>
          {words.add}
        </button>
        <span className="comment-note">{commentReaders(ask)}</span>
      </p>
    )
  }
  return (
    <Textarea
      className="comment"
      data-comment=""
      labelProps={{ className: 'field-label' }}
      label={
        <>
          {field?.label ?? words.label}
          {!isRequired && <span className="optional">{words.optional}</span>}
        </>
      }
      descriptionProps={{ className: 'comment-note' }}
      description={[field?.help, commentReaders(ask)].filter((text) => text !== undefined).join(' ')}
      error={error}
      autosize
      minRows={field === undefined ? 1 : 2}
      autoFocus={field === undefined && !isRequired && isOpen}
      value={value}
      onChange={({ currentTarget }) => {
        // It stays when a restored draft is deleted.
        setOpen(true)
        onChange(currentTarget.value)
      }}
    />
  )
}

/** Where a comment goes. A field of a form reaches the asker only if the form is answered. */
export function commentReaders(ask: AskView): string {
  if (ask.question.kind === 'approval' && ask.question.policies !== undefined) return words.sentWithDecline
  const by = askerName(ask)
  if (ask.commentReaches === 'asker') return words.sentTo(by)
  return ask.commentField === undefined ? words.recordOnly : words.recordOnlyUnlessAnswered(by)
}
