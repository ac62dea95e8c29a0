// The frame around the pages: who you are, where you are, and what arrives by itself.

import { Button, Loader, Switch, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { lazy, type MouseEvent, Suspense, useEffect, useState } from 'react'
import { problemOf, signOut } from './api/client.ts'
import { useLive } from './api/live.ts'
import { useMe, useOpenAsks } from './api/queries.ts'
import { InboxPage } from './pages/inbox-page.tsx'
import { SecretPage } from './pages/secret-page.tsx'
import { SignedOut, SignInPage, Unverified } from './pages/sign-in-page.tsx'
import { goTo, type Route, useRoute } from './route.ts'
import { KeyHelp } from './ui/key-help.tsx'
import { useKeys } from './ui/keys.ts'
import { canNotify, notify, useNotices } from './ui/notices.ts'
import { chime, isSoundOn, useSound } from './ui/sound.ts'
import { Trouble } from './ui/trouble.tsx'

// Whoever has something to answer need not wait for what looks back.
const HistoryPage = lazy(async () => ({ default: (await import('./pages/history-page.tsx')).HistoryPage }))
const FiguresPage = lazy(async () => ({ default: (await import('./pages/figures-page.tsx')).FiguresPage }))
const PlayPage = lazy(async () => ({ default: (await import('./pages/play-page.tsx')).PlayPage }))

export function App() {
  const route = useRoute()
  const me = useMe(route.page === 'sign-in')
  const notices = useNotices()
  const isSignedIn = me.isSuccess && route.page !== 'sign-in'
  const live = useLive(isSignedIn, (_, isFirst) => {
    if (notices.isOn) notify()
    if (isFirst && isSoundOn()) chime()
  })
  const [isHelpOpen, setHelpOpen] = useState(false)
  // Whoever started a playground came to play; the inbox is one press away.
  const [isFirst, setFirst] = useState(true)
  const hasPlayground = isSignedIn && me.data.hasPlayground === true
  useEffect(() => {
    if (!isSignedIn || !isFirst) return
    setFirst(false)
    if (hasPlayground && location.pathname === '/') goTo('/play', 'replace')
  }, [isSignedIn, isFirst, hasPlayground])
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
        {isSignedIn && <Places route={route} hasPlayground={me.data.hasPlayground === true} />}
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
    if (problem.code === 'signed-out') return <SignedOut />
    if (problem.code === 'unverified') return <Unverified />
    return <Trouble problem={problem} onRetry={() => void me.refetch()} />
  }
  if (route.page === 'secret') return <SecretPage key={route.id} page={route.id} />
  if (route.page === 'history') return <HistoryPage id={route.id} search={route.search} />
  if (route.page === 'play') return <PlayPage id={route.id} />
  return route.page === 'figures' ? <FiguresPage /> : <InboxPage id={route.id} />
}

function You({ name }: { readonly name: string }) {
  const queries = useQueryClient()
  const sound = useSound()
  const leave = () => void signOut().then(() => queries.resetQueries())
  return (
    <>
      <button type="button" className="top-button top-name" popoverTarget="you">
        {name}
      </button>
      <div id="you" className="you" popover="auto">
        <p>
          You answer as <strong>{name}</strong>.
        </p>
        <Switch label="A quiet sound for a new ask" checked={sound.isOn} onChange={sound.toggle} />
        <Button variant="default" onClick={leave}>
          Sign out
        </Button>
      </div>
    </>
  )
}

function Places({ route, hasPlayground }: { readonly route: Route; readonly hasPlayground: boolean }) {
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
      {hasPlayground && place('play', '/play', 'Playground')}
      {place('inbox', '/', count === 0 ? 'Inbox' : `Inbox ${count}${list.hasNextPage ? '+' : ''}`)}
      {place('history', '/history', 'History')}
      {place('figures', '/figures', 'Statistics')}
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
