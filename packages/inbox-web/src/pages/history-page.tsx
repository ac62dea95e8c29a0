// Asks that are no longer open: who decided what and when, and the audit proof. Search and filters are in the URL.

import { Button } from '@mantine/core'
import { useEffect, useState } from 'react'
import { historySearchMost, useAsk, useHistory, useProof, useStatistics } from '../api/queries.ts'
import { historyText } from '../text/history.ts'
import { duration, exactly } from '../text/time.ts'
import { AskCard } from '../ui/ask-card.tsx'
import { AskRow } from '../ui/ask-row.tsx'
import { LoadMore } from '../ui/load-more.tsx'
import { matching, noFilter } from '../ui/open-filter.ts'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'
import { Proof } from '../ui/proof.tsx'
import { useShortcuts } from '../ui/shortcuts.ts'
import { filterOf, HistoryFilters, searchOf } from './history-filters.tsx'
import { navigate } from './route.ts'

const words = historyText.history
const yearDays = 365

export function HistoryPage({ id, search }: { readonly id?: string | undefined; readonly search: string }) {
  const { text, ...filter } = filterOf(search)
  const list = useHistory(filter)
  const statistics = useStatistics(yearDays)
  const loaded = list.data?.pages.flatMap((page) => page.asks) ?? []
  const asks = matching(loaded, { ...noFilter, text: text ?? '' })
  const servers = [...new Set(statistics.data?.tools.map(({ server }) => server))].sort()

  // A search is about everything that ended, not only about the first page.
  const { hasNextPage, isFetching, isFetchNextPageError, fetchNextPage } = list
  const needsMore = text !== undefined && hasNextPage && loaded.length < historySearchMost
  useEffect(() => {
    if (needsMore && !isFetching && !isFetchNextPageError) void fetchNextPage({ cancelRefetch: false })
  }, [needsMore, isFetching, isFetchNextPageError, fetchNextPage])

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
          filter={{ ...filter, ...(text === undefined ? {} : { text }) }}
          servers={servers}
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
        {isLoaded(list) && asks.length === 0 && !needsMore && (
          <p className="list-empty">{search === '' ? words.none : words.noMatch}</p>
        )}
        {hasNextPage && <LoadMore isLoading={list.isFetchingNextPage} onMore={() => void fetchNextPage()} />}
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
      <AskCard ask={ask} onAnswer={async () => undefined} onPassed={() => undefined} />
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
