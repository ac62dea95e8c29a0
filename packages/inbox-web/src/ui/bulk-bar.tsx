// Declines or dismisses the selected asks. Approving needs the card: a person must have seen what runs.

import type { AskView } from '@assent/core'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { type Refused, useAnswerMany } from '../api/answer-many.ts'

interface Props {
  /** The asks that the list shows. */
  readonly shown: readonly AskView[]
  readonly selected: readonly AskView[]
  readonly onSelectAll: () => void
  readonly onDone: () => void
}

const actions = [
  { action: 'decline', label: 'Decline' },
  { action: 'cancel', label: 'Dismiss' },
] as const

export function BulkBar({ shown, selected, onSelectAll, onDone }: Props) {
  const many = useAnswerMany()
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const [sending, setSending] = useState<'decline' | 'cancel'>()
  const send = async (action: 'decline' | 'cancel') => {
    setSending(action)
    const left = await many.mutateAsync({ asks: selected, answerOf: () => ({ action }) })
    setRefused(left)
    setSending(undefined)
    if (left.length === 0) onDone()
  }
  return (
    <section className="bulk-bar" aria-label="Selected asks">
      <p aria-live="polite">{selected.length} selected</p>
      <p className="bulk-actions">
        {actions.map(({ action, label }) => (
          <Button
            key={action}
            variant="default"
            loading={sending === action}
            disabled={sending !== undefined || !canAll(selected, action)}
            onClick={() => void send(action)}
          >
            {label} {selected.length === 0 ? '' : selected.length}
          </Button>
        ))}
        {selected.length < shown.length && (
          <Button variant="subtle" onClick={onSelectAll}>
            Select all {shown.length}
          </Button>
        )}
      </p>
      {refused.length > 0 && (
        <div role="alert" className="notice">
          <p>Not answered:</p>
          <ul className="refused-asks">
            {refused.map(({ ask, problem }) => (
              <li key={ask.id}>
                {ask.headline}: {problem.message}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

/** Whether the person may give each of them this answer. */
function canAll(asks: readonly AskView[], action: 'decline' | 'cancel'): boolean {
  return asks.length > 0 && asks.every(({ answers }) => answers.includes(action))
}
