// What has ended: who decided what, when, and how long it took. Filters are in the address.

import { Loader, Select } from '@mantine/core'
import { problemOf } from '../api/client.ts'
import { type HistoryFilter, useAsk, useFigures, useHistory } from '../api/queries.ts'
import { goTo } from '../route.ts'
import { AskCard } from '../ui/ask-card.tsx'
import { AskRow } from '../ui/ask-row.tsx'
import { useKeys } from '../ui/keys.ts'
import { LoadMore } from '../ui/load-more.tsx'
import { duration, exactly } from '../ui/time.ts'
import { Trouble } from '../ui/trouble.tsx'

const kinds = [
  { value: 'approval', label: 'Approvals' },
  { value: 'form', label: 'Questions' },
  { value: 'url', label: 'Links' },
]
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
            aria-label="Server"
            placeholder="Every server"
            clearable
            clearButtonProps={{ 'aria-label': 'Every server' }}
            data={servers}
            value={filter.server ?? null}
            onChange={(server) => goTo(`/history${searchOf({ ...filter, server })}`, 'replace')}
          />
          <Select
            aria-label="Kind"
            placeholder="Every kind"
            clearable
            clearButtonProps={{ 'aria-label': 'Every kind' }}
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
        {asks.length === 0 && <p className="list-empty">Nothing has ended yet that you could see here.</p>}
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
    </>
  )
}

function filterOf(search: string): HistoryFilter {
  const asked = new URLSearchParams(search)
  const [server, kind] = [asked.get('server'), asked.get('kind')]
  return { ...(server ? { server } : {}), ...(kind ? { kind } : {}) }
}

function searchOf(filter: { readonly server?: string | null; readonly kind?: string | null }): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) search.set(name, value)
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
