// One ask by its id: fetched, answered, kept fresh.

import { Loader } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { problemOf } from '../api/client.ts'
import { useDecide } from '../api/decide.ts'
import { keys, useAsk } from '../api/queries.ts'
import { AskCard, useSame } from '../ui/ask-card.tsx'
import { Trouble } from '../ui/trouble.tsx'

export function OneAsk({ id }: { readonly id: string }) {
  const queries = useQueryClient()
  const found = useAsk(id)
  const deciding = useDecide(id)
  const onPassed = useSame(() => void queries.invalidateQueries({ queryKey: keys.ask(id) }))
  if (found.isPending) return <Loader className="loading" aria-label="Loading" />
  if (found.isError) return <Trouble problem={problemOf(found.error)} onRetry={() => void found.refetch()} />
  return <AskCard ask={found.data.ask} {...deciding} onPassed={onPassed} />
}
