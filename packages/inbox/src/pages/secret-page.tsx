// One secret, and nothing else on the page: who asks, what for, hand it over or decline.

import { Loader } from '@mantine/core'
import { problemOf } from '../api/client.ts'
import { useSecretAsk } from '../api/queries.ts'
import { Trouble } from '../ui/trouble.tsx'
import { OneAsk } from './one-ask.tsx'

export function SecretPage({ page }: { readonly page: string }) {
  const found = useSecretAsk(page)
  if (found.isPending) return <Loader className="loading" aria-label="Loading" />
  if (found.isError) {
    return (
      <>
        <h1 className="unseen">Hand over a secret</h1>
        <Trouble problem={problemOf(found.error)} onRetry={() => void found.refetch()} />
      </>
    )
  }
  return (
    <div className="stage alone">
      <h1 className="unseen">Hand over a secret</h1>
      <OneAsk id={found.data.ask.id} />
      {found.data.ask.state.kind !== 'open' && <p className="next">You can close this page.</p>}
    </div>
  )
}
