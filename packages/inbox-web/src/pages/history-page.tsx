// Asks that are no longer open: who decided what and when, and the audit proof. The filters are in the URL.

import { Button, Select } from '@mantine/core'
import { useState } from 'react'
import { type HistoryFilter, useAsk, useHistory, useProof, useStatistics } from '../api/queries.ts'
import { AskCard } from '../ui/ask-card.tsx'
import { AskRow } from '../ui/ask-row.tsx'
import { LoadMore } from '../ui/load-more.tsx'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'
import { Proof } from '../ui/proof.tsx'
import { outcomeLabels } from '../ui/settled.tsx'
import { useShortcuts } from '../ui/shortcuts.ts'
import { duration, exactly } from '../ui/time.ts'
import { navigate } from './route.ts'

const kinds = [
  { value: 'approval', label: 'Approvals' },
  { value: 'form', label: 'Questions' },
  { value: 'url', label: 'Links' },
]
const outcomes = Object.entries(outcomeLabels).map(([value, label]) => ({ value, label }))
const yearDays = 365

export function HistoryPage({ id, search }: { readonly id?: string | undefined; readonly search: string }) {
  const filter = filterOf(search)
  const list = useHistory(filter)
  const statistics = useStatistics(yearDays)
  const asks = list.data?.pages.flatMap((page) => page.asks) ?? []
  const servers = [...new Set(statistics.data?.tools.map(({ server }) => server))].sort()
  const move = (by: 1 | -1) => {
    const at = asks.findIndex((ask) => ask.id === id)
    const next = asks[at < 0 ? 0 : at + by]
    if (next !== undefined) navigate(`/history/${next.id}${search}`, 'replace')
  }
  useShortcuts({
    j: () => move(1),
    k: () => move(-1),
    Enter: () => document.querySelector<HTMLElement>('.card')?.focus(),
  })
  return (
    <div className="two-pane" data-showing={id === undefined ? 'list' : 'card'}>
      <h1 className="visually-hidden">History</h1>
      <nav className="list" aria-label="History">
        <h2 className="list-title">History</h2>
        <div className="filters">
          <Select
            className="filter-wide"
            aria-label="Outcome"
            placeholder="Any outcome"
            clearable
            clearButtonProps={{ 'aria-label': 'Any outcome' }}
            data={outcomes}
            value={filter.outcome ?? null}
            onChange={(outcome) => navigate(`/history${searchOf({ ...filter, outcome })}`, 'replace')}
          />
          <Select
            aria-label="Server"
            placeholder="Any server"
            clearable
            clearButtonProps={{ 'aria-label': 'Any server' }}
            data={servers}
            value={filter.server ?? null}
            onChange={(server) => navigate(`/history${searchOf({ ...filter, server })}`, 'replace')}
          />
          <Select
            aria-label="Type"
            placeholder="Any type"
            clearable
            clearButtonProps={{ 'aria-label': 'Any type' }}
            data={kinds}
            value={filter.kind ?? null}
            onChange={(kind) => navigate(`/history${searchOf({ ...filter, kind })}`, 'replace')}
          />
        </div>
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
        {isLoaded(list) && asks.length === 0 && (
          <p className="list-empty">{search === '' ? 'No settled asks yet.' : 'No asks match these filters.'}</p>
        )}
        {list.hasNextPage && <LoadMore isLoading={list.isFetchingNextPage} onMore={() => void list.fetchNextPage()} />}
      </nav>
      <div className="detail">
        {id === undefined ? (
          <p className="detail-empty">Select an ask to see who decided what, and when.</p>
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
        ‹ History
      </a>
      <AskCard ask={ask} onAnswer={async () => undefined} onPassed={() => undefined} />
      <dl className="past-facts">
        <div>
          <dt>Asked</dt>
          <dd>{exactly(ask.raisedAtMs)}</dd>
        </div>
        {ask.state.kind !== 'open' && (
          <div>
            <dt>Ended</dt>
            <dd>
              {exactly(ask.state.atMs)}, after {duration(ask.state.atMs - ask.raisedAtMs)}
            </dd>
          </div>
        )}
        <div>
          <dt>Ask</dt>
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
    <section className="proof" aria-label="Audit proof">
      <h2>Audit proof</h2>
      {!isRequested && (
        <Button variant="default" onClick={() => setRequested(true)}>
          Check the audit log
        </Button>
      )}
      {isRequested && (isLoaded(found) ? <Proof proof={found.data} /> : <NotLoaded query={found} />)}
    </section>
  )
}

function filterOf(search: string): HistoryFilter {
  const query = new URLSearchParams(search)
  const [server, kind, outcome] = [query.get('server'), query.get('kind'), query.get('outcome')]
  return { ...(server ? { server } : {}), ...(kind ? { kind } : {}), ...(outcome ? { outcome } : {}) }
}

function searchOf(filter: { readonly [name in keyof HistoryFilter]?: string | null }): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) search.set(name, value)
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
