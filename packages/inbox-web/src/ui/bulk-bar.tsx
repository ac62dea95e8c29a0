// Declines or dismisses the selected asks. Approving needs the card: a person must have seen what runs.

import type { AskView } from '@assent/core'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { type Refused, useAnswerMany } from '../api/answer-many.ts'
import { useIsLost } from '../api/connection.ts'
import { listText } from '../text/list.ts'
import { sendProblem } from './send-problem.ts'

interface Props {
  /** The asks that the list shows. */
  readonly shown: readonly AskView[]
  readonly selected: readonly AskView[]
  readonly onSelectAll: () => void
  /** All were answered; `result` says how many and how. */
  readonly onDone: (result: string) => void
}

const words = listText.bulk
const actions = [
  { action: 'decline', label: words.decline, done: words.declined },
  { action: 'cancel', label: words.dismiss, done: words.dismissed },
] as const
type Action = (typeof actions)[number]

export function BulkBar({ shown, selected, onSelectAll, onDone }: Props) {
  const many = useAnswerMany()
  const isLost = useIsLost()
  const [refused, setRefused] = useState<readonly Refused[]>([])
  const [sending, setSending] = useState<Action['action']>()
  const send = async ({ action, done }: Action) => {
    setSending(action)
    const left = await many.mutateAsync({ asks: selected, answerOf: () => ({ action }) })
    setRefused(left)
    setSending(undefined)
    if (left.length === 0) onDone(done(selected.length))
  }
  return (
    <section className="bulk-bar" aria-label={words.heading}>
      <div className="bulk-head">
        <p aria-live="polite">{words.selected(selected.length)}</p>
        {selected.length < shown.length && (
          <Button variant="subtle" size="compact-sm" onClick={onSelectAll}>
            {words.selectAll(shown.length)}
          </Button>
        )}
      </div>
      <p className="bulk-actions">
        {actions.map((one) => (
          <Button
            key={one.action}
            variant="default"
            loading={sending === one.action}
            disabled={isLost || sending !== undefined || !canAll(selected, one.action)}
            onClick={() => void send(one)}
          >
            {one.label} {selected.length === 0 ? '' : selected.length}
          </Button>
        ))}
      </p>
      {refused.length > 0 && (
        <div role="alert" className="notice">
          <p>{words.notAnswered}</p>
          <ul className="refused-asks">
            {refused.map(({ ask, problem }) => (
              <li key={ask.id}>
                {ask.headline}: {sendProblem(problem)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  )
}

/** Whether the person may give each of them this answer. */
function canAll(asks: readonly AskView[], action: Action['action']): boolean {
  return asks.length > 0 && asks.every(({ answers }) => answers.includes(action))
}
