// The page for one secret: who asks and what for; the person hands it over or declines.

import { Loader } from '@mantine/core'
import { problemOf } from '../api/client.ts'
import { useSecretAsk } from '../api/queries.ts'
import { PageError } from '../ui/page-error.tsx'
import { AskDetail } from './ask-detail.tsx'

export function SecretPage({ page }: { readonly page: string }) {
  const found = useSecretAsk(page)
  if (found.isPending) return <Loader className="loading" aria-label="Loading" />
  if (found.isError && (found.data === undefined || problemOf(found.error).code !== 'unavailable')) {
    return (
      <>
        <h1 className="visually-hidden">Hand over a secret</h1>
        <PageError problem={problemOf(found.error)} onRetry={() => void found.refetch()} />
      </>
    )
  }
  return (
    <div className="detail single">
      <h1 className="visually-hidden">Hand over a secret</h1>
      <AskDetail id={found.data.ask.id} />
      {found.data.ask.state.kind !== 'open' && <p className="next">You can close this page.</p>}
    </div>
  )
}
