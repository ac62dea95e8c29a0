// Above the list of open asks: search, filters, and the switch to select several.

import type { AskView } from '@assent/core'
import { Button, Select, TextInput } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { listText } from '../text/list.ts'
import { agentsOf, isFiltering, noFilter, type OpenFilter, projectsOf } from './open-filter.ts'
import { useShortcuts } from './shortcuts.ts'

const words = listText.filters

interface Props {
  readonly asks: readonly AskView[]
  readonly filter: OpenFilter
  readonly isSelecting: boolean
  /** How the selected asks were answered, until several are selected again. */
  readonly result: string
  readonly onFilter: (filter: OpenFilter) => void
  readonly onSelecting: (isSelecting: boolean) => void
}

export function ListTools({ asks, filter, isSelecting, result, onFilter, onSelecting }: Props) {
  const search = useRef<HTMLInputElement>(null)
  const [agents, projects] = [agentsOf(asks), projectsOf(asks)]
  const select = useRef<HTMLButtonElement>(null)
  useShortcuts({ '/': () => search.current?.focus(), s: () => onSelecting(!isSelecting) })
  // The button that was pressed is gone, and with it the focus.
  useEffect(() => {
    if (result !== '') select.current?.focus()
  }, [result])
  return (
    <div className="filters">
      <TextInput
        ref={search}
        className="filter-wide"
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        aria-keyshortcuts="/"
        value={filter.text}
        onChange={(event) => onFilter({ ...filter, text: event.currentTarget.value })}
      />
      {(agents.length > 1 || filter.agent !== null) && (
        <Select
          aria-label={words.agent}
          placeholder={words.anyAgent}
          clearable
          clearButtonProps={{ 'aria-label': words.anyAgent }}
          data={agents}
          value={filter.agent}
          onChange={(agent) => onFilter({ ...filter, agent })}
        />
      )}
      {(projects.length > 1 || filter.project !== null) && (
        <Select
          aria-label={words.project}
          placeholder={words.anyProject}
          clearable
          clearButtonProps={{ 'aria-label': words.anyProject }}
          data={projects}
          value={filter.project}
          onChange={(project) => onFilter({ ...filter, project })}
        />
      )}
      <p className="filter-wide filter-actions">
        <Button
          ref={select}
          variant="subtle"
          size="compact-sm"
          aria-keyshortcuts="s"
          onClick={() => onSelecting(!isSelecting)}
        >
          {isSelecting ? words.stopSelecting : words.selectSeveral}
        </Button>
        {isFiltering(filter) && (
          <Button variant="subtle" size="compact-sm" onClick={() => onFilter(noFilter)}>
            {words.showAll}
          </Button>
        )}
      </p>
    </div>
  )
}
