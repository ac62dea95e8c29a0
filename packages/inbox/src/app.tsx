// The frame around the pages: who you are, where you are, and what arrives by itself.

import { Button, Loader, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, type MouseEvent, Suspense, useEffect, useState } from 'react'
import { post, problemOf } from './api/client.ts'
import { useLive } from './api/live.ts'
import { useMe, useOpenAsks } from './api/queries.ts'
import { InboxPage, Trouble } from './pages/inbox-page.tsx'
import { SignedOut, SignInPage } from './pages/sign-in-page.tsx'
import { goTo, type Route, useRoute } from './route.ts'
import { KeyHelp } from './ui/key-help.tsx'
import { useKeys } from './ui/keys.ts'
import { canNotify, notify, useNotices } from './ui/notices.ts'

// Whoever has something to answer need not wait for what looks back.
const HistoryPage = lazy(async () => ({ default: (await import('./pages/history-page.tsx')).HistoryPage }))
const FiguresPage = lazy(async () => ({ default: (await import('./pages/figures-page.tsx')).FiguresPage }))

export function App() {
  const route = useRoute()
  const me = useMe(route.page === 'sign-in')
  const notices = useNotices()
  const isSignedIn = me.isSuccess && route.page !== 'sign-in'
  const live = useLive(isSignedIn, () => notices.isOn && notify())
  const [isHelpOpen, setHelpOpen] = useState(false)
  useKeys({
    '?': () => setHelpOpen(true),
    Escape: () => {
      if (document.activeElement !== document.body) (document.activeElement as HTMLElement | null)?.blur()
      else if (route.page === 'inbox' || route.page === 'history') goTo(route.page === 'inbox' ? '/' : '/history')
    },
  })
  return (
    <>
      <header className="top">
        <a className="brand" href="/" onClick={follow}>
          Assent
        </a>
        {isSignedIn && <Places route={route} />}
        <div className="top-end">
          {isSignedIn && live === 'waiting' && <span className="live-state">reconnecting…</span>}
          {isSignedIn && canNotify && (
            <button type="button" className="top-button" aria-pressed={notices.isOn} onClick={notices.toggle}>
              {notices.isOn ? 'Notices on' : 'Notify me'}
            </button>
          )}
          <SchemeButton />
          <button type="button" className="top-button" aria-label="Keys" onClick={() => setHelpOpen(true)}>
            ?
          </button>
          {isSignedIn && <You name={me.data.name} />}
        </div>
      </header>
      <main>
        <Suspense fallback={<Loader className="loading" aria-label="Loading" />}>{pageOf(route, me)}</Suspense>
      </main>
      <KeyHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </>
  )
}

function pageOf(route: Route, me: ReturnType<typeof useMe>) {
  if (route.page === 'sign-in') return <SignInPage />
  if (me.isPending) return null
  if (me.isError) {
    const problem = problemOf(me.error)
    return problem.code === 'signed-out' ? (
      <SignedOut />
    ) : (
      <Trouble problem={problem} onRetry={() => void me.refetch()} />
    )
  }
  if (route.page === 'history') return <HistoryPage id={route.id} search={route.search} />
  return route.page === 'figures' ? <FiguresPage /> : <InboxPage id={route.id} />
}

function You({ name }: { readonly name: string }) {
  const queries = useQueryClient()
  const signOut = () =>
    void post('/api/sign-out', {})
      .catch(() => undefined)
      .then(() => queries.resetQueries())
  return (
    <>
      <button type="button" className="top-button top-name" popoverTarget="you">
        {name}
      </button>
      <div id="you" className="you" popover="auto">
        <p>
          You answer as <strong>{name}</strong>.
        </p>
        <Button variant="default" onClick={signOut}>
          Sign out
        </Button>
      </div>
    </>
  )
}

function Places({ route }: { readonly route: Route }) {
  const list = useOpenAsks()
  const count = list.data?.pages.reduce((sum, { asks }) => sum + asks.length, 0) ?? 0
  useEffect(() => {
    document.title = count === 0 ? 'Assent' : `(${count}${list.hasNextPage ? '+' : ''}) Assent`
    void navigator.setAppBadge?.(count).catch(() => undefined)
  }, [count, list.hasNextPage])
  const place = (page: Route['page'], path: string, name: string) => (
    <a href={path} aria-current={route.page === page ? 'page' : undefined} onClick={follow}>
      {name}
    </a>
  )
  return (
    <nav className="places" aria-label="Pages">
      {place('inbox', '/', count === 0 ? 'Inbox' : `Inbox ${count}${list.hasNextPage ? '+' : ''}`)}
      {place('history', '/history', 'History')}
      {place('figures', '/figures', 'Figures')}
    </nav>
  )
}

function follow(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  goTo(new URL(event.currentTarget.href).pathname)
}

const schemes = { auto: 'light', light: 'dark', dark: 'auto' } as const
const schemeNames = { auto: 'Auto', light: 'Light', dark: 'Dark' } as const

function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  return (
    <button
      type="button"
      className="top-button scheme"
      aria-label={`Theme: ${schemeNames[colorScheme]}`}
      onClick={() => setColorScheme(schemes[colorScheme])}
    >
      <span className="wide-only">Theme: </span>
      {schemeNames[colorScheme]}
    </button>
  )
}
