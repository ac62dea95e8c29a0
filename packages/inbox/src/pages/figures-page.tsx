// How asks ended and how long people took: each chart answers the question in its title.

import type { FiguresView, NamedOutcome, ToolFigures } from '@assent/core'
import { Loader, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { problemOf } from '../api/client.ts'
import { useFigures } from '../api/queries.ts'
import { BarTable } from '../charts/bar-table.tsx'
import { outcomeWords } from '../ui/settled.tsx'
import { duration } from '../ui/time.ts'
import { Trouble } from '../ui/trouble.tsx'

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
        <h1>Statistics</h1>
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
      answer={medianMs === undefined ? 'No answers yet.' : `Half of the answers arrived within ${duration(medianMs)}.`}
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

const lookOf: Readonly<Partial<Record<NamedOutcome, 'solid' | 'hatched'>>> = {
  yes: 'solid',
  approved: 'solid',
  no: 'hatched',
  declined: 'hatched',
  changes_requested: 'hatched',
  cancelled: 'hatched',
}

function Outcomes({ figures: { outcomes, counted, yes, no } }: { readonly figures: FiguresView }) {
  return (
    <BarTable
      question="How do asks end?"
      answer={`Of ${counted}, ${yes} ended with a yes and ${no} with a no.`}
      columns={['Outcome', 'Asks']}
      bars={outcomes
        .filter(({ count }) => count > 0)
        .map(({ outcome, count }) => ({
          label: outcomeWords[outcome],
          parts: [{ count, look: lookOf[outcome] ?? 'outline' }],
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
            <i data-look="solid" /> Yes, approved
          </span>
          <span>
            <i data-look="hatched" /> No, declined, cancelled, changes requested
          </span>
          <span>
            <i data-look="outline" /> Other answers, no answer
          </span>
        </p>
      }
      bars={tools.slice(0, toolsShown).map((tool) => ({
        label: nameOf(tool),
        parts: [
          { count: tool.yes, look: 'solid' },
          { count: tool.no, look: 'hatched' },
          { count: tool.answered + tool.unanswered, look: 'outline' },
        ],
        says: `${tool.yes} of ${totalOf(tool)}`,
      }))}
    />
  )
}

function sentenceOf(tools: readonly ToolFigures[]): string {
  const least = tools.filter((tool) => tool.yes + tool.no >= 3).toSorted((a, b) => rateOf(a) - rateOf(b))[0]
  if (least === undefined) return 'There are too few asks to tell yet.'
  return `${nameOf(least)} gets a yes least often: ${Math.round(100 * rateOf(least))} % of the time.`
}

const totalOf = ({ yes, no, answered, unanswered }: ToolFigures) => yes + no + answered + unanswered
const rateOf = (tool: ToolFigures) => tool.yes / totalOf(tool)
const nameOf = ({ server, tool }: ToolFigures) => (tool === undefined ? server : `${server} · ${tool}`)
