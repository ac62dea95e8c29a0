// What has ended: who decided what, when, how long it took, and the proof of it. Filters are in the address.

import { Button, Loader, Select } from '@mantine/core'
import { useState } from 'react'
import { problemOf } from '../api/client.ts'
import { type HistoryFilter, useAsk, useFigures, useHistory, useProof } from '../api/queries.ts'
import { goTo } from '../route.ts'
import { AskCard } from '../ui/ask-card.tsx'
import { AskRow } from '../ui/ask-row.tsx'
import { useKeys } from '../ui/keys.ts'
import { LoadMore } from '../ui/load-more.tsx'
import { Proof } from '../ui/proof.tsx'
import { outcomeWords } from '../ui/settled.tsx'
import { duration, exactly } from '../ui/time.ts'
import { Trouble } from '../ui/trouble.tsx'

const kinds = [
  { value: 'approval', label: 'Approvals' },
  { value: 'form', label: 'Questions' },
  { value: 'url', label: 'Links' },
]
const outcomes = Object.entries(outcomeWords).map(([value, label]) => ({ value, label }))
const yearDays = 365

export function HistoryPage({ id, search }: { readonly id?: string | undefined; readonly search: string }) {
  const filter = filterOf(search)
  const list = useHistory(filter)
  const figures = useFigures(yearDays)
  const asks = list.data?.pages.flatMap((page) => page.asks) ?? []
  const servers = [...new Set(figures.data?.tools.map(({ server }) => server))].sort()
  const move = (by: 1 | -1) => {
    const at = asks.findIndex((ask) => ask.id === id)
    const next = asks[at < 0 ? 0 : at + by]
    if (next !== undefined) goTo(`/history/${next.id}${search}`, 'replace')
  }
  useKeys({ j: () => move(1), k: () => move(-1), Enter: () => document.querySelector<HTMLElement>('.card')?.focus() })

  if (list.isPending) return <Loader className="loading" aria-label="Loading" />
  if (list.isError) return <Trouble problem={problemOf(list.error)} onRetry={() => void list.refetch()} />
  return (
    <div className="desk" data-showing={id === undefined ? 'list' : 'card'}>
      <h1 className="unseen">History</h1>
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
            onChange={(outcome) => goTo(`/history${searchOf({ ...filter, outcome })}`, 'replace')}
          />
          <Select
            aria-label="Server"
            placeholder="Any server"
            clearable
            clearButtonProps={{ 'aria-label': 'Any server' }}
            data={servers}
            value={filter.server ?? null}
            onChange={(server) => goTo(`/history${searchOf({ ...filter, server })}`, 'replace')}
          />
          <Select
            aria-label="Type"
            placeholder="Any type"
            clearable
            clearButtonProps={{ 'aria-label': 'Any type' }}
            data={kinds}
            value={filter.kind ?? null}
            onChange={(kind) => goTo(`/history${searchOf({ ...filter, kind })}`, 'replace')}
          />
        </div>
        <ul>
          {asks.map((ask) => (
            <AskRow
              key={ask.id}
              ask={ask}
              path={`/history/${ask.id}${search}`}
              isCurrent={ask.id === id}
              onOpen={() => goTo(`/history/${ask.id}${search}`)}
            />
          ))}
        </ul>
        {asks.length === 0 && (
          <p className="list-empty">
            {search === ''
              ? 'Nothing has ended yet that you could see here.'
              : 'Nothing that you could see here ended like this.'}
          </p>
        )}
        {list.hasNextPage && <LoadMore isLoading={list.isFetchingNextPage} onMore={() => void list.fetchNextPage()} />}
      </nav>
      <div className="stage">
        {id === undefined ? (
          <p className="stage-empty">Choose one to see who decided what, and when.</p>
        ) : (
          <OneEnded key={id} id={id} back={`/history${search}`} />
        )}
      </div>
    </div>
  )
}

function OneEnded({ id, back }: { readonly id: string; readonly back: string }) {
  const found = useAsk(id)
  if (found.isPending) return <Loader className="loading" aria-label="Loading" />
  if (found.isError) return <Trouble problem={problemOf(found.error)} onRetry={() => void found.refetch()} />
  const { ask } = found.data
  return (
    <>
      <a
        className="back"
        href={back}
        onClick={(event) => {
          event.preventDefault()
          goTo(back)
        }}
      >
        ‹ History
      </a>
      <AskCard ask={ask} onAnswer={async () => undefined} onPassed={() => undefined} />
      <dl className="ended-facts">
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
  const [isWanted, setWanted] = useState(false)
  const found = useProof(id, isWanted)
  return (
    <section className="proof" aria-label="Audit proof">
      <h2>Audit proof</h2>
      {!isWanted && (
        <Button variant="default" onClick={() => setWanted(true)}>
          Check the record
        </Button>
      )}
      {isWanted && found.isPending && <Loader className="loading" aria-label="Checking the record" />}
      {found.isError && <Trouble problem={problemOf(found.error)} onRetry={() => void found.refetch()} />}
      {found.isSuccess && <Proof proof={found.data} />}
    </section>
  )
}

function filterOf(search: string): HistoryFilter {
  const asked = new URLSearchParams(search)
  const [server, kind, outcome] = [asked.get('server'), asked.get('kind'), asked.get('outcome')]
  return { ...(server ? { server } : {}), ...(kind ? { kind } : {}), ...(outcome ? { outcome } : {}) }
}

function searchOf(filter: { readonly [name in keyof HistoryFilter]?: string | null }): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) search.set(name, value)
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
