// The frame around the pages: header, navigation, live updates and global shortcuts.

import { Button, Loader, Switch, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, type MouseEvent, Suspense, useEffect, useState } from 'react'
import { problemOf, signOut } from './api/client.ts'
import { useLiveUpdates } from './api/live-updates.ts'
import { useMe, useOpenAsks } from './api/queries.ts'
import { deleteDrafts } from './form/drafts.ts'
import { InboxPage } from './pages/inbox-page.tsx'
import { navigate, type Route, useRoute } from './pages/route.ts'
import { SecretPage } from './pages/secret-page.tsx'
import { SignedOut, SignInPage, Unverified } from './pages/sign-in-page.tsx'
import { ErrorBoundary } from './ui/error-boundary.tsx'
import { canNotify, notify, useNotifications } from './ui/notifications.ts'
import { PageError } from './ui/page-error.tsx'
import { ShortcutHelp } from './ui/shortcut-help.tsx'
import { useShortcuts } from './ui/shortcuts.ts'
import { chime, isSoundOn, useSound } from './ui/sound.ts'

// Loaded on demand, so that they do not delay the inbox.
const HistoryPage = lazy(async () => ({ default: (await import('./pages/history-page.tsx')).HistoryPage }))
const StatisticsPage = lazy(async () => ({ default: (await import('./pages/statistics-page.tsx')).StatisticsPage }))
const PlayPage = lazy(async () => ({ default: (await import('./pages/play-page.tsx')).PlayPage }))

export function App() {
  const route = useRoute()
  const me = useMe(route.page === 'sign-in')
  const notifications = useNotifications()
  const isSignedIn = me.isSuccess && route.page !== 'sign-in'
  const live = useLiveUpdates(isSignedIn, (_, isLeader) => {
    if (notifications.isOn) notify()
    if (isLeader && isSoundOn()) chime()
  })
  const [isHelpOpen, setHelpOpen] = useState(false)
  // `assent play` opens the playground first; the inbox is one click away.
  const [isFirst, setFirst] = useState(true)
  const hasPlayground = isSignedIn && me.data.hasPlayground === true
  useEffect(() => {
    if (!isSignedIn || !isFirst) return
    setFirst(false)
    if (hasPlayground && location.pathname === '/') navigate('/play', 'replace')
  }, [isSignedIn, isFirst, hasPlayground])
  useShortcuts({
    '?': () => setHelpOpen(true),
    Escape: () => {
      if (document.activeElement !== document.body) (document.activeElement as HTMLElement | null)?.blur()
      else if (route.page === 'inbox' || route.page === 'history') navigate(route.page === 'inbox' ? '/' : '/history')
    },
  })
  return (
    <>
      <header className="app-header">
        <a className="brand" href="/" onClick={followLink}>
          Assent
        </a>
        {isSignedIn && <Navigation route={route} hasPlayground={me.data.hasPlayground === true} />}
        <div className="top-end">
          {isSignedIn && live === 'waiting' && <span className="live-state">reconnecting…</span>}
          {isSignedIn && canNotify && (
            <button
              type="button"
              className="top-button"
              aria-pressed={notifications.isOn}
              onClick={notifications.toggle}
            >
              {notifications.isOn ? 'Notifications on' : 'Notify me'}
            </button>
          )}
          <SchemeButton />
          <button
            type="button"
            className="top-button"
            aria-label="Keyboard shortcuts"
            onClick={() => setHelpOpen(true)}
          >
            ?
          </button>
          {isSignedIn && <AccountMenu name={me.data.name} />}
        </div>
      </header>
      <main>
        <ErrorBoundary key={route.page}>
          <Suspense fallback={<Loader className="loading" aria-label="Loading" />}>{pageOf(route, me)}</Suspense>
        </ErrorBoundary>
      </main>
      <ShortcutHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </>
  )
}

function pageOf(route: Route, me: ReturnType<typeof useMe>) {
  if (route.page === 'sign-in') return <SignInPage />
  if (me.isPending) return null
  if (me.isError) {
    const problem = problemOf(me.error)
    if (problem.code === 'signed-out') return <SignedOut />
    if (problem.code === 'unverified') return <Unverified />
    return <PageError problem={problem} onRetry={() => void me.refetch()} />
  }
  if (route.page === 'secret') return <SecretPage key={route.id} page={route.id} />
  if (route.page === 'history') return <HistoryPage id={route.id} search={route.search} />
  if (route.page === 'play') return <PlayPage id={route.id} />
  return route.page === 'statistics' ? <StatisticsPage /> : <InboxPage id={route.id} />
}

function AccountMenu({ name }: { readonly name: string }) {
  const queries = useQueryClient()
  const sound = useSound()
  const onSignOut = () => {
    deleteDrafts()
    void signOut().then(() => queries.resetQueries())
  }
  return (
    <>
      <button type="button" className="top-button top-name" popoverTarget="account-menu">
        {name}
      </button>
      <div id="account-menu" className="account-menu" popover="auto">
        <p>
          Signed in as <strong>{name}</strong>.
        </p>
        <Switch label="Play a sound for new asks" checked={sound.isOn} onChange={sound.toggle} />
        <Button variant="default" onClick={onSignOut}>
          Sign out
        </Button>
      </div>
    </>
  )
}

function Navigation({ route, hasPlayground }: { readonly route: Route; readonly hasPlayground: boolean }) {
  const list = useOpenAsks()
  const count = list.data?.pages.reduce((sum, { asks }) => sum + asks.length, 0) ?? 0
  useEffect(() => {
    document.title = count === 0 ? 'Assent' : `(${count}${list.hasNextPage ? '+' : ''}) Assent`
    void navigator.setAppBadge?.(count).catch(() => undefined)
  }, [count, list.hasNextPage])
  const link = (page: Route['page'], path: string, name: string) => (
    <a href={path} aria-current={route.page === page ? 'page' : undefined} onClick={followLink}>
      {name}
    </a>
  )
  return (
    <nav className="navigation" aria-label="Pages">
      {hasPlayground && link('play', '/play', 'Playground')}
      {link('inbox', '/', count === 0 ? 'Inbox' : `Inbox ${count}${list.hasNextPage ? '+' : ''}`)}
      {link('history', '/history', 'History')}
      {link('statistics', '/figures', 'Statistics')}
    </nav>
  )
}

function followLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  navigate(new URL(event.currentTarget.href).pathname)
}

const nextScheme = { auto: 'light', light: 'dark', dark: 'auto' } as const
const schemeNames = { auto: 'Auto', light: 'Light', dark: 'Dark' } as const

function SchemeButton() {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  return (
    <button
      type="button"
      className="top-button scheme"
      aria-label={`Theme: ${schemeNames[colorScheme]}`}
      onClick={() => setColorScheme(nextScheme[colorScheme])}
    >
      <span className="wide-only">Theme: </span>
      {schemeNames[colorScheme]}
    </button>
  )
}
