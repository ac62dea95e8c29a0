// Shown instead of a page, or a part of one, that could not be loaded.

import type { InboxProblem } from '@assent/core'
import { Button, Loader } from '@mantine/core'
import { problemOf } from '../api/client.ts'
import { useIsLost } from '../api/connection.ts'
import { frameText } from '../text/frame.ts'

const words = frameText.errors

/** With a retry button where retrying can help. */
export function PageError({ problem, onRetry }: { readonly problem: InboxProblem; readonly onRetry: () => void }) {
  if (useIsLost()) return <Unloaded />
  return (
    <div className="page-error" role="alert">
      <p>{problem.code === 'not-found' ? words.notFound : problem.message}</p>
      {problem.code !== 'not-found' && (
        <Button variant="default" onClick={onRetry}>
          {words.tryAgain}
        </Button>
      )}
    </div>
  )
}

/** While the inbox cannot be reached. The banner at the top gives the reason. */
export function Unloaded() {
  return <p className="detail-empty">{words.notLoaded}</p>
}

interface Query {
  readonly data: unknown
  readonly error: Error | null
  readonly isPending: boolean
  refetch(): unknown
}

/** Whether there is something to show. While the inbox cannot be reached, what was loaded before stays. */
export function isLoaded<Q extends Query>(query: Q): query is Q & { readonly data: NonNullable<Q['data']> } {
  return query.data !== undefined && (query.error === null || problemOf(query.error).code === 'unavailable')
}

/** In place of what is not loaded: it is on its way, or could not be loaded. */
export function NotLoaded({ query }: { readonly query: Query }) {
  if (query.isPending) return <Loading />
  return <PageError problem={problemOf(query.error)} onRetry={() => void query.refetch()} />
}

function Loading() {
  return useIsLost() ? <Unloaded /> : <Loader className="loading" aria-label={words.loading} />
}
