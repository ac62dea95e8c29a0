// Outcomes of asks and how long people took to answer. Each chart answers the question in its title.

import type { NamedOutcome, StatisticsView, ToolStatistics } from '@assent/core'
import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useStatistics } from '../api/queries.ts'
import { BarTable } from '../charts/bar-table.tsx'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'
import { outcomeLabels } from '../ui/settled.tsx'
import { duration } from '../ui/time.ts'

const spans = [
  { value: '7', label: '7 days' },
  { value: '30', label: '30 days' },
  { value: '365', label: '1 year' },
]
const toolsShown = 12

export function StatisticsPage() {
  const [days, setDays] = useState('30')
  const found = useStatistics(Number(days))
  return (
    <div className="statistics-page">
      <header>
        <h1>Statistics</h1>
        <SegmentedControl aria-label="Period" data={spans} value={days} onChange={setDays} />
      </header>
      {isLoaded(found) ? <Charts statistics={found.data} /> : <NotLoaded query={found} />}
    </div>
  )
}

function Charts({ statistics }: { readonly statistics: StatisticsView }) {
  if (statistics.counted === 0) return <p className="list-empty">No ask that you can see was settled in this period.</p>
  return (
    <>
      <Waits statistics={statistics} />
      <Outcomes statistics={statistics} />
      <Tools statistics={statistics} />
      {!statistics.complete && (
        <p>There were more. Only the newest {statistics.counted.toLocaleString()} are counted.</p>
      )}
    </>
  )
}

function Waits({ statistics: { waits, medianMs } }: { readonly statistics: StatisticsView }) {
  return (
    <BarTable
      question="How long do people take to answer?"
      answer={medianMs === undefined ? 'No answers yet.' : `Half of the answers arrived within ${duration(medianMs)}.`}
      columns={['Answered', 'Asks']}
      bars={waits.map(({ underMs, count }, at) => ({
        label: rangeText(waits[at - 1]?.underMs, underMs),
        parts: [{ count, look: 'solid' }],
        text: String(count),
      }))}
    />
  )
}

function rangeText(fromMs: number | undefined, underMs: number | undefined): string {
  if (fromMs === undefined) return `under ${duration(underMs ?? 0)}`
  return underMs === undefined ? `over ${duration(fromMs)}` : `${duration(fromMs)} to ${duration(underMs)}`
}

const barLooks: Readonly<Partial<Record<NamedOutcome, 'solid' | 'hatched'>>> = {
  yes: 'solid',
  approved: 'solid',
  no: 'hatched',
  declined: 'hatched',
  changes_requested: 'hatched',
  cancelled: 'hatched',
}

function Outcomes({ statistics: { outcomes, counted, yes, no } }: { readonly statistics: StatisticsView }) {
  return (
    <BarTable
      question="How do asks end?"
      answer={`Of ${counted}, ${yes} ended with a yes and ${no} with a no.`}
      columns={['Outcome', 'Asks']}
      bars={outcomes
        .filter(({ count }) => count > 0)
        .map(({ outcome, count }) => ({
          label: outcomeLabels[outcome],
          parts: [{ count, look: barLooks[outcome] ?? 'outline' }],
          text: `${count} (${Math.round((100 * count) / counted)} %)`,
        }))}
    />
  )
}

function Tools({ statistics: { tools } }: { readonly statistics: StatisticsView }) {
  return (
    <BarTable
      question="Which tools get a yes?"
      answer={summaryOf(tools)}
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
        text: `${tool.yes} of ${totalOf(tool)}`,
      }))}
    />
  )
}

function summaryOf(tools: readonly ToolStatistics[]): string {
  const least = tools.filter((tool) => tool.yes + tool.no >= 3).toSorted((a, b) => rateOf(a) - rateOf(b))[0]
  if (least === undefined) return 'There are too few asks to compare yet.'
  return `${nameOf(least)} is approved least often: ${Math.round(100 * rateOf(least))} % of the time.`
}

const totalOf = ({ yes, no, answered, unanswered }: ToolStatistics) => yes + no + answered + unanswered
const rateOf = (tool: ToolStatistics) => tool.yes / totalOf(tool)
const nameOf = ({ server, tool }: ToolStatistics) => (tool === undefined ? server : `${server} · ${tool}`)
