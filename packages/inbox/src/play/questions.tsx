// The questions of a run, in place: the first that waits, as the same card as in the inbox.

import type { AskView } from '@assent/core'
import { useQueryClient } from '@tanstack/react-query'
import { useDecide } from '../api/decide.ts'
import { keys, useOpenAsks } from '../api/queries.ts'
import { AskCard, useSame } from '../ui/ask-card.tsx'

export function Questions() {
  const list = useOpenAsks()
  const asks = list.data?.pages.flatMap((page) => page.asks) ?? []
  // The oldest: what was asked first is what everything else waits behind.
  const first = asks.at(-1)
  if (first === undefined) return null
  return (
    <div className="run-question">
      <Question key={first.id} ask={first} />
      {asks.length > 1 && <p className="run-more">{asks.length - 1} more after this one.</p>}
    </div>
  )
}

function Question({ ask }: { readonly ask: AskView }) {
  const queries = useQueryClient()
  const deciding = useDecide(ask.id)
  const onPassed = useSame(() => void queries.invalidateQueries({ queryKey: keys.open }))
  return <AskCard ask={ask} {...deciding} onPassed={onPassed} />
}
