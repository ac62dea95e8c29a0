// Outcomes of asks and how long people took to answer. Each chart answers the question in its title.

import type { AnswerStatistics, NamedOutcome, StatisticsView, ToolStatistics } from '@assent/core'
import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { useStatistics } from '../api/queries.ts'
import { type Bar, BarTable } from '../charts/bar-table.tsx'
import { cardText } from '../text/card.ts'
import { statisticsText as words } from '../text/statistics.ts'
import { dayRange } from '../text/time.ts'
import { isLoaded, NotLoaded } from '../ui/page-error.tsx'

const spans = [
  { value: '7', label: words.spans.week },
  { value: '30', label: words.spans.month },
  { value: '365', label: words.spans.year },
]
const toolsShown = 12

export function StatisticsPage() {
  const [days, setDays] = useState('30')
  const found = useStatistics(Number(days))
  return (
    <div className="statistics-page">
      <header>
        <h1>{words.title}</h1>
        <SegmentedControl
          aria-label={words.period}
          classNames={{ root: 'period', label: 'period-label' }}
          data={spans}
          value={days}
          onChange={setDays}
        />
      </header>
      {isLoaded(found) ? <Charts statistics={found.data} /> : <NotLoaded query={found} />}
    </div>
  )
}

function Charts({ statistics }: { readonly statistics: StatisticsView }) {
  if (statistics.counted === 0) return <p className="list-empty">{words.none}</p>
  return (
    <>
      <Trend statistics={statistics} />
      <Waits statistics={statistics} />
      <Outcomes statistics={statistics} />
      <Policies statistics={statistics} />
      <Tools statistics={statistics} />
      <People statistics={statistics} />
      {!statistics.complete && <p>{words.cut(statistics.counted)}</p>}
    </>
  )
}

function Trend({ statistics: { trend } }: { readonly statistics: StatisticsView }) {
  return (
    <BarTable
      question={words.trend.question}
      answer={words.trend.answer}
      columns={words.trend.columns}
      legend={<Legend />}
      bars={trend.map(({ fromMs, untilMs, ...counts }) => ({
        label: dayRange(fromMs, untilMs),
        parts: partsOf(counts),
        text: words.tools.took(String(totalOf(counts)), counts.medianMs),
      }))}
    />
  )
}

function Waits({ statistics: { waits, medianMs } }: { readonly statistics: StatisticsView }) {
  return (
    <BarTable
      question={words.waits.question}
      answer={medianMs === undefined ? words.waits.noAnswers : words.waits.median(medianMs)}
      columns={words.waits.columns}
      bars={waits.map(({ underMs, count }, at) => ({
        label: words.waits.range(waits[at - 1]?.underMs, underMs),
        parts: [{ count, look: 'solid' }],
        text: String(count),
      }))}
    />
  )
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
      question={words.outcomes.question}
      answer={words.outcomes.answer(counted, yes, no)}
      columns={words.outcomes.columns}
      bars={outcomes
        .filter(({ count }) => count > 0)
        .map(({ outcome, count }) => ({
          label: cardText.outcomes[outcome],
          href: `/history?outcome=${outcome}`,
          parts: [{ count, look: barLooks[outcome] ?? 'outline' }],
          text: words.outcomes.share(count, counted),
        }))}
    />
  )
}

function Tools({ statistics: { tools } }: { readonly statistics: StatisticsView }) {
  return (
    <BarTable
      question={words.tools.question}
      answer={summaryOf(tools)}
      full={1}
      columns={words.tools.columns}
      legend={<Legend />}
      bars={tools.slice(0, toolsShown).map((tool) => ({
        label: nameOf(tool),
        href: `/history?${new URLSearchParams({ server: tool.server, ...(tool.tool === undefined ? {} : { tool: tool.tool }) })}`,
        ...answersIn(tool),
      }))}
    />
  )
}

/** Only if a policy asked in this period. */
function Policies({ statistics: { policies } }: { readonly statistics: StatisticsView }) {
  if (policies.length === 0) return null
  const stamps = policies.filter(({ isRubberStamp }) => isRubberStamp === true).map(({ policy }) => policy)
  return (
    <BarTable
      question={words.policies.question}
      answer={stamps.length === 0 ? words.policies.answer : words.policies.rubberStamp(stamps)}
      full={1}
      columns={words.policies.columns}
      legend={<Legend />}
      bars={policies.slice(0, toolsShown).map((policy) => ({ label: policy.policy, ...answersIn(policy) }))}
    />
  )
}

/** Only if there are several: one person sees their own answers in the other charts. */
function People({ statistics: { people } }: { readonly statistics: StatisticsView }) {
  if (people.length < 2) return null
  return (
    <BarTable
      question={words.people.question}
      answer={words.people.answer}
      full={1}
      columns={words.people.columns}
      legend={<Legend />}
      bars={people.slice(0, toolsShown).map((person) => ({ label: person.name, ...answersIn(person) }))}
    />
  )
}

function Legend() {
  return (
    <p className="legend">
      <span>
        <i data-look="solid" /> {words.tools.legend.yes}
      </span>
      <span>
        <i data-look="hatched" /> {words.tools.legend.no}
      </span>
      <span>
        <i data-look="outline" /> {words.tools.legend.other}
      </span>
    </p>
  )
}

function answersIn(counts: AnswerStatistics): Pick<Bar, 'parts' | 'text'> {
  const share = words.tools.share(counts.yes, totalOf(counts))
  return { parts: partsOf(counts), text: words.tools.took(share, counts.medianMs) }
}

function partsOf({ yes, no, answered, unanswered }: AnswerStatistics): Bar['parts'] {
  return [
    { count: yes, look: 'solid' },
    { count: no, look: 'hatched' },
    { count: answered + unanswered, look: 'outline' },
  ]
}

function summaryOf(tools: readonly ToolStatistics[]): string {
  const least = tools.filter((tool) => tool.yes + tool.no >= 3).toSorted((a, b) => rateOf(a) - rateOf(b))[0]
  if (least === undefined) return words.tools.tooFew
  return words.tools.least(nameOf(least), rateOf(least))
}

const totalOf = ({ yes, no, answered, unanswered }: AnswerStatistics) => yes + no + answered + unanswered
const rateOf = (tool: ToolStatistics) => tool.yes / totalOf(tool)
const nameOf = ({ server, tool }: ToolStatistics) => words.tools.name(server, tool)
