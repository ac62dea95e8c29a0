// Search, filters and export of the history. The filters are read from the URL and written to it.

import type { AskView } from '@assent/core'
import { Button, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useIsLost } from '../api/connection.ts'
import { type HistoryFilter, historySearchMost, readHistory } from '../api/queries.ts'
import { cardText } from '../text/card.ts'
import { historyText } from '../text/history.ts'
import { matching, noFilter } from '../ui/open-filter.ts'
import { saveFile } from '../ui/save-file.ts'
import { outcomeText } from '../ui/settled.tsx'

const words = historyText.history
const kinds = Object.entries(words.kinds).map(([value, label]) => ({ value, label }))
const outcomes = Object.entries(cardText.outcomes).map(([value, label]) => ({ value, label }))

export interface HistorySearch extends HistoryFilter {
  readonly text?: string
}

type Changed = { readonly [name in keyof HistorySearch]?: string | null }

interface Props {
  readonly filter: HistorySearch
  readonly servers: readonly string[]
  readonly onFilter: (filter: Changed) => void
}

export function HistoryFilters({ filter, servers, onFilter }: Props) {
  return (
    <div className="filters">
      <TextInput
        className="filter-wide"
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        aria-keyshortcuts="/"
        value={filter.text ?? ''}
        onChange={(event) => onFilter({ ...filter, text: event.currentTarget.value })}
      />
      <Select
        className="filter-wide"
        aria-label={words.outcome}
        placeholder={words.anyOutcome}
        clearable
        clearButtonProps={{ 'aria-label': words.anyOutcome }}
        data={outcomes}
        value={filter.outcome ?? null}
        onChange={(outcome) => onFilter({ ...filter, outcome })}
      />
      <Select
        aria-label={words.server}
        placeholder={words.anyServer}
        clearable
        clearButtonProps={{ 'aria-label': words.anyServer }}
        data={[...servers]}
        value={filter.server ?? null}
        onChange={(server) => onFilter({ ...filter, server })}
      />
      <Select
        aria-label={words.type}
        placeholder={words.anyType}
        clearable
        clearButtonProps={{ 'aria-label': words.anyType }}
        data={kinds}
        value={filter.kind ?? null}
        onChange={(kind) => onFilter({ ...filter, kind })}
      />
      <Export filter={filter} />
    </div>
  )
}

/** Saves what the filters select as a file, newest first. */
function Export({ filter: { text = '', ...filter } }: { readonly filter: HistorySearch }) {
  const [isExporting, setExporting] = useState(false)
  const [note, setNote] = useState('')
  const isLost = useIsLost()
  const save = async () => {
    setExporting(true)
    setNote('')
    try {
      const { asks, isComplete } = await readHistory(filter)
      const rows = matching(asks, { ...noFilter, text }).map(exportRow)
      saveFile('assent-history.json', JSON.stringify(rows, undefined, 2))
      if (!isComplete) setNote(words.exportCut(historySearchMost))
    } catch {
      setNote(words.exportFailed)
    }
    setExporting(false)
  }
  return (
    <p className="filter-wide filter-actions">
      <Button variant="subtle" size="compact-sm" disabled={isExporting || isLost} onClick={() => void save()}>
        {isExporting ? words.exporting : words.export}
      </Button>
      <span role="status">{note}</span>
    </p>
  )
}

function exportRow(ask: AskView) {
  const { id, headline, asker, caller, onBehalfOf, raisedAtMs, state } = ask
  return {
    id,
    question: headline,
    server: asker.server,
    tool: asker.tool,
    caller,
    for: onBehalfOf.name,
    askedAt: new Date(raisedAtMs).toISOString(),
    ...(state.kind === 'open' ? {} : { endedAt: new Date(state.atMs).toISOString(), outcome: outcomeText(state) }),
    ...(state.kind === 'settled' ? { by: state.by.name, comment: state.comment, answers: state.content } : {}),
  }
}

const names = ['text', 'server', 'kind', 'outcome'] as const

export function filterOf(search: string): HistorySearch {
  const query = new URLSearchParams(search)
  return Object.fromEntries(names.flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : [])))
}

export function searchOf(filter: Changed): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(filter)) if (value) search.set(name, value)
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
