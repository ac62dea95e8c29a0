// The time left to answer an ask. It is emphasised in two steps as the deadline approaches, and never blinks.

import type { AskView } from '@assent/core'
import { useEffect } from 'react'
import { useNow } from '../api/server-time.ts'
import { cardText } from '../text/card.ts'
import { ago, atHour, left } from '../text/time.ts'

const words = cardText.deadline
const boldBelowMs = 60_000
const plainBelowMs = 5 * 60_000
/** Longer than the interval at which a waiting caller is recorded. */
const missingAfterMs = 60_000

interface Props {
  readonly ask: Pick<AskView, 'decideByMs' | 'mayEndEarlier' | 'callerSeenAtMs'>
  readonly onPassed: () => void
}

export function Deadline({ ask: { decideByMs, mayEndEarlier, callerSeenAtMs }, onPassed }: Props) {
  const now = useNow()
  const leftMs = decideByMs - now
  const isPassed = leftMs <= 0
  useEffect(() => {
    if (isPassed) onPassed()
  }, [isPassed, onPassed])
  const isMissing = callerSeenAtMs !== undefined && now - callerSeenAtMs > missingAfterMs
  const notes = [
    ...(mayEndEarlier === true ? [words.mayEndEarlier] : []),
    ...(isMissing ? [words.lastSeen(ago(now - callerSeenAtMs))] : []),
  ]
  return (
    <>
      <p className="deadline" data-urgency={urgencyOf(leftMs)}>
        {words.expiresIn}{' '}
        <time className="digits" title={atHour(decideByMs, now)}>
          {left(leftMs)}
        </time>
      </p>
      {notes.length > 0 && <p className="deadline-notes">{notes.join(' ')}</p>}
    </>
  )
}

export function urgencyOf(leftMs: number): 'quiet' | 'plain' | 'bold' {
  if (leftMs < boldBelowMs) return 'bold'
  return leftMs < plainBelowMs ? 'plain' : 'quiet'
}
