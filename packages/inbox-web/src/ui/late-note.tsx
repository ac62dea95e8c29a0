// On an ask that ended without an answer: what the person had written, and a note that they can give to their agent.

import type { AskView } from '@assent/core'
import { Button } from '@mantine/core'
import { useState } from 'react'

export function LateNote({ ask, comment }: { readonly ask: AskView; readonly comment: string }) {
  const [isCopied, setCopied] = useState(false)
  if (ask.state.kind !== 'expired') return null
  const written = comment.trim()
  const note = `I did not answer in time: "${ask.headline}"${written === '' ? '' : ` I would have answered: ${written}`} Please ask me again.`
  return (
    <div className="late-note">
      {written !== '' && (
        <>
          <p className="late-label">You had written</p>
          <p className="late-text">{written}</p>
        </>
      )}
      <Button variant="default" onClick={() => void navigator.clipboard.writeText(note).then(() => setCopied(true))}>
        {isCopied ? 'Copied' : 'Copy a note for the agent'}
      </Button>
    </div>
  )
}
