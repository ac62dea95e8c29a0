// Loads one ask by its id, shows it as a card, and sends the answer.

import { useQueryClient } from '@tanstack/react-query'
import { useDecide } from '../api/decide.ts'
import { queryKeys, useAsk } from '../api/queries.ts'
import { AskCard } from '../ui/ask-card.tsx'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'
import { useStableCallback } from '../ui/stable-callback.ts'

export function AskDetail({ id }: { readonly id: string }) {
  const queries = useQueryClient()
  const found = useAsk(id)
  const handlers = useDecide(id)
  const onPassed = useStableCallback(() => void queries.invalidateQueries({ queryKey: queryKeys.ask(id) }))
  if (!isLoaded(found)) return <NotLoaded query={found} />
  return <AskCard ask={found.data.ask} {...handlers} onPassed={onPassed} />
}
