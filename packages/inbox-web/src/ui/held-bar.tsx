// In place of the buttons while a yes can still be undone.

import { Button, Kbd } from '@mantine/core'
import { useEffect, useState } from 'react'
import { cardText } from '../text/card.ts'
import type { HeldAnswer } from './held-answers.ts'
import { inertMs } from './inert.ts'

export const undoKey = 'u'

export function HeldBar({ held, onUndo }: { readonly held: HeldAnswer; readonly onUndo: () => void }) {
  const [leftMs, setLeftMs] = useState(() => held.sendsAtMs - performance.now())
  const [appearedAt] = useState(() => performance.now())
  useEffect(() => {
    const timer = setInterval(() => setLeftMs(held.sendsAtMs - performance.now()), 200)
    return () => clearInterval(timer)
  }, [held])
  return (
    <div className="answer-bar held">
      <p role="status">
        {cardText.undo.sentIn(held.button.label)}{' '}
        <span className="digits">{Math.max(1, Math.ceil(leftMs / 1_000))}</span> {cardText.undo.seconds}
      </p>
      <Button
        variant="default"
        className="answer"
        aria-keyshortcuts={undoKey}
        rightSection={
          <Kbd aria-hidden="true" className="key">
            {undoKey}
          </Kbd>
        }
        onClick={(event) => {
          // The key press that gave the yes may be repeated here, where the focus is now.
          if (event.detail > 0 || performance.now() - appearedAt >= inertMs) onUndo()
        }}
      >
        {cardText.undo.undo}
      </Button>
    </div>
  )
}
