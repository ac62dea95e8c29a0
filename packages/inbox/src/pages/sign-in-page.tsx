// How a person gets in: by a link, whose code stands after the hash so that only this page ever saw it, or with their
// account at the issuer, which sends them back to the page they came from.

import type { InboxProblem, SignInView } from '@assent/core'
import { Button, Loader } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { problemOf, signInWith } from '../api/client.ts'
import { startLogin, useSignIn } from '../api/queries.ts'
import { goTo } from '../route.ts'

export function SignInPage() {
  const queries = useQueryClient()
  const [trouble, setTrouble] = useState<InboxProblem>()
  const [hasCode] = useState(() => location.hash !== '')
  useEffect(() => {
    const code = takeCode()
    if (code === undefined) return
    signInWith(code).then(
      async () => {
        await queries.invalidateQueries()
        goTo('/', 'replace')
      },
      (error: unknown) => setTrouble(problemOf(error)),
    )
  }, [queries])
  if (trouble === undefined && hasCode) return <Loader className="loading" aria-label="Signing in" />
  if (trouble !== undefined) return <SignedOut title={titleOf(trouble)} trouble={trouble.message} />
  const search = new URLSearchParams(location.search)
  const [title, words] = loginTroubles[search.get('problem') ?? ''] ?? []
  return (
    <SignedOut
      to={search.get('to') ?? '/'}
      {...(title === undefined || words === undefined ? {} : { title, trouble: words })}
    />
  )
}

function titleOf({ code }: InboxProblem): string {
  if (code === 'signed-out') return 'This link does not work any more.'
  return code === 'refused' ? 'This browser cannot sign in here.' : 'You could not be signed in.'
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

/** Why a login came back without anybody, as the gateway names it. */
const loginTroubles: Readonly<Record<string, readonly [title: string, words: string]>> = {
  stale: ['That sign-in was not finished.', 'It took too long, was begun in another browser, or was used before.'],
  denied: ['You are not signed in.', 'The sign-in was called off.'],
  failed: [
    'You could not be signed in.',
    'The sign-in could not be verified. If it happens again, tell whoever runs this gateway.',
  ],
  unavailable: [
    'You could not be signed in.',
    'The place where you sign in cannot be reached just now. Try again in a moment.',
  ],
  'too-many': ['You are signed in too often.', 'Sign out in another browser first, or wait until a session has ended.'],
}

interface SignedOutProps {
  readonly title?: string
  readonly trouble?: string
  /** Where to go on after signing in; the page that one is at, unless told. */
  readonly to?: string
}

export function SignedOut({ title = 'You are signed out.', trouble, to }: SignedOutProps) {
  const ways = useSignIn()
  return (
    <div className="empty" role={trouble === undefined ? undefined : 'alert'}>
      <h1>{title}</h1>
      {trouble !== undefined && <p>{trouble}</p>}
      {ways.isSuccess && <WayIn view={ways.data} to={to ?? location.pathname + location.search} />}
    </div>
  )
}

/** Another program has the address. The page checks again by itself. */
export function Unverified() {
  return (
    <div className="empty" role="alert">
      <h1>This may not be your inbox.</h1>
      <p>
        The program that answers at this address could not prove that it is your inbox. Nothing was sent to it. This
        page checks again every few seconds.
      </p>
      <p>
        If Assent moved to another address, run <code>assent inbox link</code> in a terminal and open the link that it
        prints.
      </p>
    </div>
  )
}

function WayIn({ view, to }: { readonly view: SignInView; readonly to: string }): ReactNode {
  const [isGoing, setGoing] = useState(false)
  const [trouble, setTrouble] = useState<string>()
  if (view.way === 'link') {
    return (
      <p>
        Run <code>assent inbox link</code> in a terminal and open the link that it prints. Each link works once.
      </p>
    )
  }
  const go = () => {
    setGoing(true)
    setTrouble(undefined)
    startLogin(to).catch((error: unknown) => {
      setGoing(false)
      setTrouble(problemOf(error).message)
    })
  }
  return (
    <>
      <p>
        You sign in with your account at <strong>{view.issuer}</strong> and come back here.
      </p>
      <Button loading={isGoing} onClick={go}>
        Sign in
      </Button>
      {trouble !== undefined && <p role="alert">{trouble}</p>}
    </>
  )
}
