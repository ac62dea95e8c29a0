// On an ask that ended without an answer: what the person had written, and a note that they can give to their agent.

import type { AskView } from '@assent/core'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { cardText } from '../text/card.ts'

const words = cardText.lateNote

export function LateNote({ ask, comment }: { readonly ask: AskView; readonly comment: string }) {
  const [isCopied, setCopied] = useState(false)
  if (ask.state.kind !== 'expired') return null
  const written = comment.trim()
  const note = words.note(ask.headline, written)
  // Browsers have no clipboard on pages over plain http. There the message is shown, to be selected.
  const canCopy = navigator.clipboard !== undefined
  return (
    <div className="late-note">
      {written !== '' && (
        <>
          <p className="late-label">{words.written}</p>
          <p className="late-text">{written}</p>
        </>
      )}
      {canCopy ? (
        <Button variant="default" onClick={() => void navigator.clipboard.writeText(note).then(() => setCopied(true))}>
          {isCopied ? words.copied : words.copy}
        </Button>
      ) : (
        <>
          <p className="late-label">{words.forAgent}</p>
          <p className="late-text">{note}</p>
        </>
      )}
    </div>
  )
}
