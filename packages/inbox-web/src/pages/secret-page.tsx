// The page for one secret: who asks and what for; the person hands it over or declines.

import { useSecretAsk } from '../api/queries.ts'
import { cardText } from '../text/card.ts'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'
import { AskDetail } from './ask-detail.tsx'

export function SecretPage({ page }: { readonly page: string }) {
  const found = useSecretAsk(page)
  if (!isLoaded(found)) {
    return (
      <>
        <h1 className="visually-hidden">{cardText.secret.pageTitle}</h1>
        <NotLoaded query={found} />
      </>
    )
  }
  return (
    <div className="detail single">
      <h1 className="visually-hidden">{cardText.secret.pageTitle}</h1>
      <AskDetail id={found.data.ask.id} />
      {found.data.ask.state.kind !== 'open' && <p className="next">{cardText.secret.canClose}</p>}
    </div>
  )
}
