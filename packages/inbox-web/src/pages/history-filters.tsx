// Search, filters and export of the history. The filters are read from the URL and written to it.

import type { AskView, StatisticsView } from '@assent/core'
import { Button, Select, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useIsLost } from '../api/connection.ts'
import { exportMost, type HistoryFilter, readHistory } from '../api/queries.ts'
import { cardText } from '../text/card.ts'
import { historyText } from '../text/history.ts'
import { isFiltering, matching, noFilter, type OpenFilter, projectsOf } from '../ui/open-filter.ts'
import { saveFile } from '../ui/save-file.ts'
import { outcomeText } from '../ui/settled.tsx'

const words = historyText.history
const kinds = Object.entries(words.kinds).map(([value, label]) => ({ value, label }))
const outcomes = Object.entries(cardText.outcomes).map(([value, label]) => ({ value, label }))

const moreNames = ['server', 'tool', 'agent', 'project', 'from', 'to'] as const
const names = ['text', 'outcome', 'kind', ...moreNames] as const

/** As in the URL. The gateway applies all but the text, which the page looks for itself. */
export type HistorySearch = { readonly [name in (typeof names)[number]]?: string }

type Changed = { readonly [name in keyof HistorySearch]?: string | null }

interface Props {
  readonly filter: HistorySearch
  /** Of the last year. */
  readonly statistics: Pick<StatisticsView, 'tools' | 'agents' | 'projects'> | undefined
  readonly loaded: readonly AskView[]
  readonly onFilter: (filter: Changed) => void
}

export function HistoryFilters({ filter, statistics, loaded, onFilter }: Props) {
  const { tools, agents, projects } = statistics ?? { tools: [], agents: [], projects: [] }
  const [isOpen, setOpen] = useState(moreNames.some((name) => filter[name] !== undefined))
  const set = (name: keyof HistorySearch) => (value: string | null) => onFilter({ ...filter, [name]: value })
  const select = (name: keyof typeof words.selects, options: Option[]) => {
    const { label, any } = words.selects[name]
    return (
      <Select
        aria-label={label}
        placeholder={any}
        clearable
        clearButtonProps={{ 'aria-label': any }}
        data={options}
        value={filter[name] ?? null}
        onChange={set(name)}
      />
    )
  }
  const day = (name: 'from' | 'to') => (
    <TextInput
      type="date"
      label={words[name]}
      labelProps={{ className: 'filter-label' }}
      value={filter[name] ?? ''}
      onChange={({ currentTarget }) => set(name)(currentTarget.value)}
    />
  )
  const ofServer = tools.filter(({ server }) => filter.server === undefined || server === filter.server)
  return (
    <div className="filters">
      <TextInput
        className="filter-wide"
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        aria-keyshortcuts="/"
        value={filter.text ?? ''}
        onChange={({ currentTarget }) => set('text')(currentTarget.value)}
      />
      {select('outcome', outcomes)}
      {select('kind', kinds)}
      {isOpen && (
        <>
          {select('server', distinct([...tools.map(({ server }) => server), filter.server]))}
          {select('tool', distinct([...ofServer.map(({ tool }) => tool), filter.tool]))}
          {select('agent', distinct([...agents, ...loaded.map(({ caller }) => caller?.client), filter.agent]))}
          {select('project', distinct([...projects, ...projectsOf(loaded), filter.project]))}
          {day('from')}
          {day('to')}
        </>
      )}
      <p className="filter-wide filter-actions">
        <Button variant="subtle" size="compact-sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? words.fewerFilters : words.moreFilters}
        </Button>
        {names.some((name) => filter[name] !== undefined) && (
          <Button variant="subtle" size="compact-sm" onClick={() => onFilter({})}>
            {words.showAll}
          </Button>
        )}
        <Export filter={filter} />
      </p>
    </div>
  )
}

type Option = string | { readonly value: string; readonly label: string }

function distinct(values: readonly (string | undefined)[]): string[] {
  return [...new Set(values.filter((value) => value !== undefined))].sort()
}

/** What the page itself looks for in the asks that it has loaded. */
export function inPage({ text }: HistorySearch): OpenFilter {
  return { ...noFilter, text: text ?? '' }
}

/** What the gateway filters. Days are those of the reader's own time zone. */
export function inGateway({ server, kind, outcome, tool, agent, project, from, to }: HistorySearch): HistoryFilter {
  const [fromMs, untilMs] = [startOf(from), startOf(to, 1)]
  return Object.fromEntries(
    Object.entries({ server, kind, outcome, tool, agent, project, from: fromMs, until: untilMs }).filter(
      ([, one]) => one !== undefined,
    ),
  )
}

function startOf(day: string | undefined, later = 0): string | undefined {
  const [year, month, date] =
    /^(\d{4})-(\d\d)-(\d\d)$/
      .exec(day ?? '')
      ?.slice(1)
      .map(Number) ?? []
  if (year === undefined || month === undefined || date === undefined) return undefined
  return String(Math.max(0, new Date(year, month - 1, date + later).getTime()))
}

/** Saves what the filters select as a file, newest first. */
function Export({ filter }: { readonly filter: HistorySearch }) {
  const [isExporting, setExporting] = useState(false)
  const [note, setNote] = useState('')
  const isLost = useIsLost()
  const save = async () => {
    setExporting(true)
    setNote('')
    try {
      const { asks, hasMore } = await readHistory(inGateway(filter))
      const rows = matching(asks, inPage(filter)).map(exportRow)
      saveFile('assent-history.json', JSON.stringify(rows, undefined, 2))
      const cut = isFiltering(inPage(filter)) ? words.exportSearchCut : words.exportCut
      if (hasMore) setNote(cut(exportMost))
    } catch {
      setNote(words.exportFailed)
    }
    setExporting(false)
  }
  return (
    <>
      <Button variant="subtle" size="compact-sm" disabled={isExporting || isLost} onClick={() => void save()}>
        {isExporting ? words.exporting : words.export}
      </Button>
      <span role="status">{note}</span>
    </>
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
