// Asks that are no longer open: who decided what and when, and the audit proof. Search and filters are in the URL. An ask that
// is opened here by its address while it is still open can be answered.

import type { AskPageView } from '@assent/core'
import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useAsk, useHistory, useProof, useStatistics } from '../api/queries.ts'
import { historyText } from '../text/history.ts'
import { duration, exactly } from '../text/time.ts'
import { AskRow } from '../ui/ask-row.tsx'
import { LoadMore } from '../ui/load-more.tsx'
import { isFiltering, matching } from '../ui/open-filter.ts'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'
import { Proof } from '../ui/proof.tsx'
import { useShortcuts } from '../ui/shortcuts.ts'
import { AskDetail } from './ask-detail.tsx'
import { filterOf, HistoryFilters, inGateway, inPage, searchOf } from './history-filters.tsx'
import { navigate } from './route.ts'

const words = historyText.history
const yearDays = 365
/** A search loads this many pages by itself; then the person decides whether it continues. */
const searchPages = 34

export function HistoryPage({ id, search }: { readonly id?: string | undefined; readonly search: string }) {
  const filter = filterOf(search)
  const list = useHistory(inGateway(filter))
  const statistics = useStatistics(yearDays)
  const pages = list.data?.pages ?? []
  const loaded = pages.flatMap((page) => page.asks)
  const asks = matching(loaded, inPage(filter))

  // The page looks for the text; for other filters the gateway returns a page that is not full when it has searched long enough.
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  const [allowed, setAllowed] = useState({ search, pages: searchPages })
  const isSearch = hasNextPage && (isFiltering(inPage(filter)) || pages.at(-1)?.searchedToMs !== undefined)
  const isSearching = isSearch && pages.length < (allowed.search === search ? allowed.pages : searchPages)
  useEffect(() => {
    if (isSearching && !isFetching && !isFetchNextPageError) void fetchNextPage({ cancelRefetch: false })
  }, [isSearching, isFetching, isFetchNextPageError, fetchNextPage])

  const move = (by: 1 | -1) => {
    const at = asks.findIndex((ask) => ask.id === id)
    const next = asks[at < 0 ? 0 : at + by]
    if (next !== undefined) navigate(`/history/${next.id}${search}`, 'replace')
  }
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => document.querySelector<HTMLElement>('.card')?.focus(),
    '/': () => document.querySelector<HTMLElement>('.filters input[type=search]')?.focus(),
  })
  return (
    <div className="two-pane" data-showing={id === undefined ? 'list' : 'card'}>
      <h1 className="visually-hidden">{words.title}</h1>
      <nav className="list" aria-label={words.title}>
        <h2 className="list-title">{words.title}</h2>
        <HistoryFilters
          filter={filter}
          statistics={statistics.data}
          loaded={loaded}
          onFilter={(next) => navigate(`/history${searchOf(next)}`, 'replace')}
        />
        <ul>
          {asks.map((ask) => (
            <AskRow
              key={ask.id}
              ask={ask}
              path={`/history/${ask.id}${search}`}
              isCurrent={ask.id === id}
              onOpen={() => navigate(`/history/${ask.id}${search}`)}
            />
          ))}
        </ul>
        {!isLoaded(list) && <NotLoaded query={list} />}
        {isLoaded(list) && asks.length === 0 && !isSearch && (
          <p className="list-empty">{search === '' ? words.none : words.noMatch}</p>
        )}
        {isSearch && !isSearching && (
          <p className="list-empty" role="status">
            {words.searchedTo(exactly(searchedTo(pages)))}{' '}
            <Button variant="subtle" onClick={() => setAllowed({ search, pages: pages.length + searchPages })}>
              {words.searchFurther}
            </Button>
          </p>
        )}
        {hasNextPage && (!isSearch || isSearching) && (
          <LoadMore isLoading={list.isFetchingNextPage} onMore={() => void fetchNextPage()} />
        )}
      </nav>
      <div className="detail">
        {id === undefined ? (
          <p className="detail-empty">{words.select}</p>
        ) : (
          <PastAsk key={id} id={id} back={`/history${search}`} />
        )}
      </div>
    </div>
  )
}

/** Every ask that ended after this time has been searched. */
function searchedTo(pages: readonly AskPageView[]): number {
  const state = pages.flatMap(({ asks }) => asks).at(-1)?.state
  return pages.at(-1)?.searchedToMs ?? (state === undefined || state.kind === 'open' ? 0 : state.atMs)
}

function PastAsk({ id, back }: { readonly id: string; readonly back: string }) {
  const found = useAsk(id)
  if (!isLoaded(found)) return <NotLoaded query={found} />
  const { ask } = found.data
  return (
    <>
      <a
        className="back"
        href={back}
        onClick={(event) => {
          event.preventDefault()
          navigate(back)
        }}
      >
        {words.back}
      </a>
      <AskDetail id={id} />
      <dl className="past-facts">
        <div>
          <dt>{words.asked}</dt>
          <dd>{exactly(ask.raisedAtMs)}</dd>
        </div>
        {ask.state.kind !== 'open' && (
          <div>
            <dt>{words.ended}</dt>
            <dd>{words.endedAt(exactly(ask.state.atMs), duration(ask.state.atMs - ask.raisedAtMs))}</dd>
          </div>
        )}
        <div>
          <dt>{words.ask}</dt>
          <dd>
            <code>{ask.id}</code>
          </dd>
        </div>
      </dl>
      <ProofOf id={id} />
    </>
  )
}

function ProofOf({ id }: { readonly id: string }) {
  const [isRequested, setRequested] = useState(false)
  const found = useProof(id, isRequested)
  return (
    <section className="proof" aria-label={historyText.proof.title}>
      <h2>{historyText.proof.title}</h2>
      {!isRequested && (
        <Button variant="default" onClick={() => setRequested(true)}>
          {historyText.proof.check}
        </Button>
      )}
      {isRequested && (isLoaded(found) ? <Proof proof={found.data} /> : <NotLoaded query={found} />)}
    </section>
  )
}
