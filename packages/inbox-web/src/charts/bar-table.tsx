// A bar chart as a table: each bar has its number next to it, so that it works without colour and with a screen reader.

import type { ReactNode } from 'react'
import { statisticsText } from '../text/statistics.ts'

export interface Bar {
  readonly label: string
  /** The asks that the bar counts. */
  readonly href?: string
  readonly parts: readonly { readonly count: number; readonly look: 'solid' | 'hatched' | 'outline' }[]
  readonly text: string
}

interface Props {
  readonly question: string
  readonly answer: ReactNode
  readonly bars: readonly Bar[]
  /** If set, every bar has the full width and shows shares of its total; otherwise the largest total fills a bar. */
  readonly full?: number
  readonly columns: readonly [label: string, value: string]
  readonly legend?: ReactNode
}

export function BarTable({ question, answer, bars, full, columns, legend }: Props) {
  const totals = bars.map(({ parts }) => parts.reduce((sum, { count }) => sum + count, 0))
  const fullCount = full ?? Math.max(1, ...totals)
  return (
    <section className="chart">
      <h2>{question}</h2>
      <p className="chart-answer">{answer}</p>
      {legend}
      <table>
        <thead>
          <tr>
            <th scope="col">{columns[0]}</th>
            <th scope="col" className="bar-cell">
              <span className="visually-hidden">{statisticsText.bar}</span>
            </th>
            <th scope="col">{columns[1]}</th>
          </tr>
        </thead>
        <tbody>
          {bars.map(({ label, href, parts, text }, at) => (
            <tr key={label}>
              <th scope="row">{href === undefined ? label : <a href={href}>{label}</a>}</th>
              <td className="bar-cell" aria-hidden="true">
                <div className="bar">
                  {parts.map(({ count, look }) => (
                    <span
                      key={look}
                      data-look={look}
                      style={{
                        inlineSize: `${(100 * count) / (full === undefined ? fullCount : Math.max(1, totals[at] ?? 1))}%`,
                      }}
                    />
                  ))}
                </div>
              </td>
              <td className="digits">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
