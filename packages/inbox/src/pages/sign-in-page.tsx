// Turns the code of a sign-in link into a session. The code stands after the hash, so only this page ever saw it.

import { Loader } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { post, problemOf } from '../api/client.ts'
import { goTo } from '../route.ts'

export function SignInPage() {
  const queries = useQueryClient()
  const [trouble, setTrouble] = useState<string>()
  const [hasCode] = useState(() => location.hash !== '')
  useEffect(() => {
    const code = takeCode()
    if (code === undefined) return
    post('/api/sign-in', { code }).then(
      async () => {
        await queries.invalidateQueries()
        goTo('/', 'replace')
      },
      (error: unknown) => setTrouble(problemOf(error).message),
    )
  }, [queries])
  if (trouble === undefined && hasCode) return <Loader className="loading" aria-label="Signing in" />
  return <SignedOut {...(trouble === undefined ? {} : { trouble })} />
}

let taken = false

/** Once: a second look, by a page that draws itself twice, must not use the link up for nothing. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? undefined
  if (taken || code === undefined) return undefined
  taken = true
  history.replaceState(null, '', '/sign-in')
  return code
}

export function SignedOut({ trouble }: { readonly trouble?: string }) {
  return (
    <div className="empty" role={trouble === undefined ? undefined : 'alert'}>
      <h1>{trouble === undefined ? 'You are signed out.' : 'This link does not work any more.'}</h1>
      {trouble !== undefined && <p>{trouble}</p>}
      <p>
        Run <code>assent inbox link</code> in a terminal and open the link that it prints. Each link works once.
      </p>
    </div>
  )
}
