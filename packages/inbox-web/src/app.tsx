// The frame around the pages: header, navigation, live updates and global shortcuts.

import { Button, Switch, useMantineColorScheme } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type MouseEvent, type ReactNode, useEffect, useState } from 'react'
import { problemOf, signOut } from './api/client.ts'
import { useIsLost } from './api/connection.ts'
import { useLiveUpdates } from './api/live-updates.ts'
import { usePasskeys } from './api/passkeys.ts'
import { queryKeys, useMe, useOpenAsks } from './api/queries.ts'
import { deleteDrafts, keepDraftsOf } from './form/drafts.ts'
import { HistoryPage } from './pages/history-page.tsx'
import { InboxPage } from './pages/inbox-page.tsx'
import { PasskeysPage } from './pages/passkeys-page.tsx'
import { PlayPage } from './pages/play-page.tsx'
import { navigate, type Route, useRoute } from './pages/route.ts'
import { SecretPage } from './pages/secret-page.tsx'
import { SignedOut, SignInPage, Unverified } from './pages/sign-in-page.tsx'
import { StatisticsPage } from './pages/statistics-page.tsx'
import { frameText } from './text/frame.ts'
import { ConnectionBanner } from './ui/connection-banner.tsx'
import { ErrorBoundary } from './ui/error-boundary.tsx'
import { undoAllAnswers } from './ui/held-answers.ts'
import { dropAllMissed } from './ui/missed-refusals.ts'
import { Notices } from './ui/notices.tsx'
import { canNotify, notify, useNotifications } from './ui/notifications.ts'
import { isForYou } from './ui/open-filter.ts'
import { isLoaded, NotLoaded } from './ui/page-error.tsx'
import { Parts } from './ui/parts.tsx'
import { ShortcutHelp } from './ui/shortcut-help.tsx'
import { useShortcuts } from './ui/shortcuts.ts'
import { chime, isSoundOn, useSound } from './ui/sound.ts'
import { DraftOwner } from './ui/use-draft.ts'

const words = frameText.header

export function App() {
  const route = useRoute()
  const me = useMe(route.page === 'sign-in')
  const notifications = useNotifications()
  // While the inbox cannot be reached, the person stays signed in here and what was loaded stays.
  const isSignedIn = isLoaded(me) && route.page !== 'sign-in'
  useReloadAfterLoss()
  const live = useLiveUpdates(isSignedIn, (_, isLeader) => {
    if (notifications.isOn) notify()
    if (isLeader && isSoundOn()) chime()
  })
  const passkeys = usePasskeys(isSignedIn)
  const person = isSignedIn ? me.data.principal : undefined
  useEffect(() => {
    if (person === undefined) return
    keepDraftsOf(person)
    // Another person may be next.
    return () => {
      undoAllAnswers()
      dropAllMissed()
    }
  }, [person])
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
      const active = document.activeElement as HTMLElement | null
      active?.blur()
      // What only the page itself focuses, such as an outcome, is no field to leave.
      if (active !== null && active.tabIndex >= 0) return
      if (route.page === 'inbox' || route.page === 'history') navigate(route.page === 'inbox' ? '/' : '/history')
    },
  })
  return (
    <>
      <header className="app-header">
        <a className="brand" href="/" onClick={followLink}>
          {words.name}
        </a>
        {isSignedIn && <Navigation route={route} hasPlayground={me.data.hasPlayground === true} />}
        <div className="top-end">
          {isSignedIn && canNotify && (
            <button
              type="button"
              className="top-button"
              aria-pressed={notifications.isOn}
              onClick={notifications.toggle}
            >
              {notifications.isOn
                ? words.notificationsOn
                : notifications.isBlocked
                  ? words.notificationsBlocked
                  : words.notify}
            </button>
          )}
          <SchemeButton where={isSignedIn ? 'wide-only' : ''} />
          <button
            type="button"
            className="top-button wide-only"
            aria-label={words.shortcuts}
            onClick={() => setHelpOpen(true)}
          >
            ?
          </button>
          {isSignedIn && <AccountMenu name={me.data.name} />}
        </div>
      </header>
      <ConnectionBanner isLive={!isSignedIn || live === 'live'} />
      {isSignedIn && passkeys.isSuccess && <Notices {...passkeys.data} />}
      <main data-live={isSignedIn ? live : undefined}>
        <DraftOwner value={person}>
          {/* A card that another person left open in this tab begins anew. */}
          <ErrorBoundary key={`${route.page} ${person}`}>{pageOf(route, me)}</ErrorBoundary>
        </DraftOwner>
      </main>
      <ShortcutHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </>
  )
}

function pageOf(route: Route, me: ReturnType<typeof useMe>) {
  if (route.page === 'sign-in') return <SignInPage />
  if (!isLoaded(me)) {
    const { code } = problemOf(me.error)
    if (code === 'signed-out') return <SignedOut />
    return code === 'unverified' ? <Unverified /> : <NotLoaded query={me} />
  }
  if (route.page === 'secret') return <SecretPage key={route.id} page={route.id} />
  if (route.page === 'history') return <HistoryPage id={route.id} search={route.search} />
  if (route.page === 'passkeys') return <PasskeysPage />
  if (route.page === 'play') return <PlayPage id={route.id} />
  return route.page === 'statistics' ? <StatisticsPage /> : <InboxPage id={route.id} />
}

/** Reads everything again once the inbox can be reached. */
function useReloadAfterLoss(): void {
  const queries = useQueryClient()
  const isLost = useIsLost()
  useEffect(() => {
    if (!isLost) return
    // From now on it is requested every few seconds, until there is a reply.
    void queries.invalidateQueries({ queryKey: queryKeys.me })
    return () => void queries.invalidateQueries()
  }, [isLost, queries])
}

function AccountMenu({ name }: { readonly name: string }) {
  const queries = useQueryClient()
  const sound = useSound()
  const [hasFailed, setFailed] = useState(false)
  const onSignOut = () => {
    setFailed(false)
    signOut().then(
      () => {
        deleteDrafts()
        void queries.resetQueries()
      },
      () => setFailed(true),
    )
  }
  return (
    <>
      <button type="button" className="top-button top-name" popoverTarget="account-menu">
        {name}
      </button>
      <div id="account-menu" className="account-menu" popover="auto">
        <p>
          <Parts of={frameText.account.signedInAs(name, location.host)} />
        </p>
        <a href="/passkeys" onClick={followLink}>
          {frameText.account.passkeys}
        </a>
        <SchemeButton where="narrow-only" />
        <Switch label={frameText.account.sound} checked={sound.isOn} onChange={sound.toggle} />
        <Button variant="default" onClick={onSignOut}>
          {frameText.account.signOut}
        </Button>
        {hasFailed && (
          <p className="problem" role="alert">
            {frameText.account.notSignedOut}
          </p>
        )}
      </div>
    </>
  )
}

function Navigation({ route, hasPlayground }: { readonly route: Route; readonly hasPlayground: boolean }) {
  const list = useOpenAsks()
  const count = list.data?.pages.flatMap(({ asks }) => asks).filter(isForYou).length ?? 0
  const shown = count === 0 ? '' : `${count}${list.hasNextPage ? '+' : ''}`
  useEffect(() => {
    document.title = words.documentTitle(shown)
    void navigator.setAppBadge?.(count).catch(() => undefined)
  }, [count, shown])
  // After signing out.
  useEffect(
    () => () => {
      document.title = words.documentTitle('')
      void navigator.clearAppBadge?.().catch(() => undefined)
    },
    [],
  )
  const link = (page: Route['page'], path: string, name: string, after?: ReactNode) => (
    <a href={path} aria-current={route.page === page ? 'page' : undefined} onClick={followLink}>
      {name}
      {after}
    </a>
  )
  return (
    <nav className="navigation" aria-label={words.pages}>
      {hasPlayground && link('play', '/play', words.playground)}
      {link('inbox', '/', words.inbox, shown !== '' && <span className="navigation-count">{shown}</span>)}
      {link('history', '/history', words.history)}
      {link('statistics', '/statistics', words.statistics)}
    </nav>
  )
}

function followLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  navigate(new URL(event.currentTarget.href).pathname)
}

const nextScheme = { auto: 'light', light: 'dark', dark: 'auto' } as const

/** In the header; on a phone, where it has no space, in the menu of the account. */
function SchemeButton({ where }: { readonly where: 'wide-only' | 'narrow-only' | '' }) {
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true })
  // The system draws the frame of an installed app in the colour of the theme that the person chose here.
  useEffect(() => {
    for (const meta of document.querySelectorAll<HTMLMetaElement>('meta[name=theme-color]')) {
      const { scheme } = meta.dataset
      meta.media =
        colorScheme === 'auto' ? `(prefers-color-scheme: ${scheme})` : scheme === colorScheme ? '' : 'not all'
    }
  }, [colorScheme])
  return (
    <button
      type="button"
      className={`top-button scheme ${where}`}
      onClick={() => setColorScheme(nextScheme[colorScheme])}
    >
      {words.theme(words.themes[colorScheme])}
    </button>
  )
}
