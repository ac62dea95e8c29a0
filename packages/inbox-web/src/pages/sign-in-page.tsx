// Signing in: by a link, whose code is in the URL fragment so that it is never sent to a server by the browser, or with an
// account at the issuer, which sends the person back to the page they came from.

import type { InboxProblem, SignInView } from '@assent/core'
import { Button, Loader } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { problemOf, signInWith } from '../api/client.ts'
import { openTab, startLogin, useSignIn } from '../api/queries.ts'
import { signInText as words } from '../text/sign-in.ts'
import { Parts } from '../ui/parts.tsx'
import { navigate } from './route.ts'

export function SignInPage() {
  const queries = useQueryClient()
  const [problem, setProblem] = useState<InboxProblem>()
  const [isSigningIn, setSigningIn] = useState(() => location.hash !== '')
  useEffect(() => {
    const signIn = () => {
      const taken = takeCode()
      if (taken === undefined) return
      setProblem(undefined)
      setSigningIn(true)
      signInWith(taken.code).then(
        async () => {
          await queries.invalidateQueries()
          navigate(taken.to, 'replace')
        },
        (error: unknown) => setProblem(problemOf(error)),
      )
    }
    signIn()
    // Another link that is pasted into this tab changes only the fragment, and the browser loads nothing.
    addEventListener('hashchange', signIn)
    return () => removeEventListener('hashchange', signIn)
  }, [queries])
  if (problem === undefined && isSigningIn) return <Loader className="loading" aria-label={words.signingIn} />
  if (problem !== undefined) return <SignedOut title={words.linkError(problem)} reason={problem.message} />
  const search = new URLSearchParams(location.search)
  const [title, reason] = words.loginErrors[search.get('problem') ?? ''] ?? []
  return (
    <SignedOut
      to={search.get('to') ?? '/'}
      {...(title === undefined || reason === undefined ? {} : { title, reason })}
    />
  )
}

/** Takes the code out of the address, so that it is used once: React's StrictMode runs effects twice. */
function takeCode(): { readonly code: string; readonly to: string } | undefined {
  const parts = new URLSearchParams(location.hash.slice(1))
  const code = parts.get('code')
  if (code === null) return undefined
  history.replaceState(null, '', '/sign-in')
  return { code, to: ownPage(parts.get('to')) }
}

/** Only a page of this inbox: the link may come from anywhere. */
function ownPage(path: string | null): string {
  if (path === null || !path.startsWith('/')) return '/'
  const url = URL.canParse(path, location.origin) ? new URL(path, location.origin) : undefined
  return url?.origin === location.origin && url.pathname !== '/sign-in' ? url.pathname + url.search : '/'
}

interface SignedOutProps {
  readonly title?: string
  readonly reason?: string
  /** The page to open after signing in; the current page by default. */
  readonly to?: string
}

export function SignedOut({ title = words.signedOut, reason, to }: SignedOutProps) {
  const method = useSignIn()
  return (
    <div className="empty" role={reason === undefined ? undefined : 'alert'}>
      <h1>{title}</h1>
      {reason !== undefined && <p>{reason}</p>}
      {method.isSuccess && <SignInMethod view={method.data} to={to ?? location.pathname + location.search} />}
    </div>
  )
}

/** Another program has the inbox's address. The page retries every few seconds. */
export function Unverified() {
  return (
    <div className="empty" role="alert">
      <h1>{words.unverified.title}</h1>
      <p>{words.unverified.reason}</p>
      <p>
        <Parts of={words.unverified.moved} />
      </p>
    </div>
  )
}

function LinkHint() {
  return (
    <p>
      <Parts of={words.linkHint} />
    </p>
  )
}

/** The inbox runs at this person's desktop and can open a page in their browser, signed in. */
function OpenTab({ to }: { readonly to: string }) {
  const [state, setState] = useState<'offered' | 'opening' | 'opened' | 'failed'>('offered')
  const open = () => {
    setState('opening')
    openTab(to).then(
      () => setState('opened'),
      () => setState('failed'),
    )
  }
  return (
    <>
      <p>{words.tab.explain}</p>
      <Button loading={state === 'opening'} onClick={open}>
        {words.tab.open}
      </Button>
      <div role="status">{state === 'opened' && <p>{words.tab.opened}</p>}</div>
      {state === 'failed' && (
        <div role="alert">
          <p>{words.tab.failed}</p>
          <LinkHint />
        </div>
      )}
    </>
  )
}

function SignInMethod({ view, to }: { readonly view: SignInView; readonly to: string }): ReactNode {
  const [isLeaving, setLeaving] = useState(false)
  const [error, setError] = useState<string>()
  if (view.way === 'link') return view.canOpenTab === true ? <OpenTab to={to} /> : <LinkHint />
  const go = () => {
    setLeaving(true)
    setError(undefined)
    startLogin(to).catch((cause: unknown) => {
      setLeaving(false)
      setError(problemOf(cause).message)
    })
  }
  return (
    <>
      <p>
        <Parts of={words.account.explain(view.issuer)} />
      </p>
      <Button loading={isLeaving} onClick={go}>
        {words.account.signIn}
      </Button>
      {error !== undefined && <p role="alert">{error}</p>}
    </>
  )
}
