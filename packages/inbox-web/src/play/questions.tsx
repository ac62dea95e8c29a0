// The open questions of a run, shown next to it: the oldest one, as the same card as in the inbox.

import type { AskView } from '@assent/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useDecide } from '../api/decide.ts'
import { queryKeys, useOpenAsks } from '../api/queries.ts'
import { playText } from '../text/play.ts'
import { AskCard } from '../ui/ask-card.tsx'
import { useStableCallback } from '../ui/stable-callback.ts'

export function Questions() {
  const list = useOpenAsks()
  const asks = list.data?.pages.flatMap((page) => page.asks) ?? []
  // The oldest: the run waits for this one first.
  const first = asks.at(-1)
  // The run waits for it, and the form above may fill the screen.
  const question = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (first?.id !== undefined) question.current?.scrollIntoView({ block: 'nearest' })
  }, [first?.id])
  if (first === undefined) return null
  return (
    <div className="run-question" ref={question}>
      <Question key={first.id} ask={first} />
      {asks.length > 1 && <p className="run-more">{playText.run.moreQuestions(asks.length - 1)}</p>}
    </div>
  )
}

function Question({ ask }: { readonly ask: AskView }) {
  const queries = useQueryClient()
  const handlers = useDecide(ask.id)
  const onPassed = useStableCallback(() => void queries.invalidateQueries({ queryKey: queryKeys.open }))
  return <AskCard ask={ask} {...handlers} onPassed={onPassed} />
}
