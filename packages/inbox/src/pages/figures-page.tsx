// How asks ended and how long people took: each chart answers the question in its title.

import type { FiguresView, ToolFigures } from '@assent/core'
import { Loader, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { problemOf } from '../api/client.ts'
import { useFigures } from '../api/queries.ts'
import { BarTable } from '../charts/bar-table.tsx'
import { outcomeWords } from '../ui/settled.tsx'
import { duration } from '../ui/time.ts'
import { Trouble } from './inbox-page.tsx'

const spans = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '365', label: '1 year' },
]
const toolsShown = 12

export function FiguresPage() {
  const [days, setDays] = useState('30')
  const found = useFigures(Number(days))
  if (found.isPending) return <Loader className="loading" aria-label="Loading" />
  if (found.isError) return <Trouble problem={problemOf(found.error)} onRetry={() => void found.refetch()} />
  const figures = found.data
  return (
    <div className="figures-page">
      <header>
        <h1>Figures</h1>
        <SegmentedControl aria-label="How far back" data={spans} value={days} onChange={setDays} />
      </header>
      {figures.counted === 0 ? (
        <p className="list-empty">Nothing has ended in this time that you could see.</p>
      ) : (
        <>
          <Waits figures={figures} />
          <Outcomes figures={figures} />
          <Tools figures={figures} />
        </>
      )}
      {!figures.complete && <p>There were more; these are the newest {figures.counted.toLocaleString()}.</p>}
    </div>
  )
}

function Waits({ figures: { waits, medianMs } }: { readonly figures: FiguresView }) {
  return (
    <BarTable
      question="How long do people take to answer?"
      answer={
        medianMs === undefined ? 'Nobody has answered yet.' : `Half of the answers came within ${duration(medianMs)}.`
      }
      columns={['Answered', 'Asks']}
      bars={waits.map(({ underMs, count }, at) => ({
        label: stepOf(waits[at - 1]?.underMs, underMs),
        parts: [{ count, look: 'solid' }],
        says: String(count),
      }))}
    />
  )
}

function stepOf(fromMs: number | undefined, underMs: number | undefined): string {
  if (fromMs === undefined) return `under ${duration(underMs ?? 0)}`
  return underMs === undefined ? `over ${duration(fromMs)}` : `${duration(fromMs)} to ${duration(underMs)}`
}

function Outcomes({ figures: { outcomes, counted } }: { readonly figures: FiguresView }) {
  const yes = outcomes.find(({ outcome }) => outcome === 'accepted')?.count ?? 0
  return (
    <BarTable
      question="How do asks end?"
      answer={`${yes} of ${counted} ended with a yes.`}
      columns={['Ended', 'Asks']}
      bars={outcomes
        .filter(({ count }) => count > 0)
        .map(({ outcome, count }) => ({
          label: outcome === 'accepted' ? 'approved, answered' : outcomeWords[outcome],
          parts: [{ count, look: outcome === 'accepted' ? 'solid' : outcome === 'declined' ? 'hatched' : 'outline' }],
          says: `${count} (${Math.round((100 * count) / counted)} %)`,
        }))}
    />
  )
}

function Tools({ figures: { tools } }: { readonly figures: FiguresView }) {
  return (
    <BarTable
      question="Which tools get a yes?"
      answer={sentenceOf(tools)}
      full={1}
      columns={['Tool', 'Yes']}
      legend={
        <p className="legend">
          <span>
            <i data-look="solid" /> approved, answered
          </span>
          <span>
            <i data-look="hatched" /> declined
          </span>
          <span>
            <i data-look="outline" /> no answer
          </span>
        </p>
      }
      bars={tools.slice(0, toolsShown).map((tool) => ({
        label: nameOf(tool),
        parts: [
          { count: tool.approved, look: 'solid' },
          { count: tool.declined, look: 'hatched' },
          { count: tool.other, look: 'outline' },
        ],
        says: `${tool.approved} of ${totalOf(tool)}`,
      }))}
    />
  )
}

function sentenceOf(tools: readonly ToolFigures[]): string {
  const least = tools.filter((tool) => totalOf(tool) >= 3).toSorted((a, b) => rateOf(a) - rateOf(b))[0]
  if (least === undefined) return 'There are too few asks to tell yet.'
  return `${nameOf(least)} gets a yes least often: ${Math.round(100 * rateOf(least))} % of the time.`
}

const totalOf = ({ approved, declined, other }: ToolFigures) => approved + declined + other
const rateOf = (tool: ToolFigures) => tool.approved / totalOf(tool)
const nameOf = ({ server, tool }: ToolFigures) => (tool === undefined ? server : `${server} · ${tool}`)
