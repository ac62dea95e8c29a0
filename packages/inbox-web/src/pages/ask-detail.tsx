// Loads one ask by its id, shows it as a card, and sends the answer.

import { Loader } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { problemOf } from '../api/client.ts'
import { useDecide } from '../api/decide.ts'
import { queryKeys, useAsk } from '../api/queries.ts'
import { AskCard } from '../ui/ask-card.tsx'
import { PageError } from '../ui/page-error.tsx'
import { useStableCallback } from '../ui/stable-callback.ts'

export function AskDetail({ id }: { readonly id: string }) {
  const queries = useQueryClient()
  const found = useAsk(id)
  const handlers = useDecide(id)
  const onPassed = useStableCallback(() => void queries.invalidateQueries({ queryKey: queryKeys.ask(id) }))
  if (found.isPending) return <Loader className="loading" aria-label="Loading" />
  // While the gateway is unreachable the card stays, with what the person has typed.
  if (found.isError && (found.data === undefined || problemOf(found.error).code !== 'unavailable'))
    return <PageError problem={problemOf(found.error)} onRetry={() => void found.refetch()} />
  return <AskCard ask={found.data.ask} {...handlers} onPassed={onPassed} />
}
