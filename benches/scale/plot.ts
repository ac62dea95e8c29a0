// A plot of a simulated day: three charts in black and grey.

import { writeFile } from 'node:fs/promises'
import type { Minute } from './day.ts'

const target = new URL('../../docs/scale-day.svg', import.meta.url)
const width = 760
const left = 80
const panelHeight = 130
const gap = 62

interface Line {
  readonly values: readonly number[]
  readonly dashed?: boolean
}

export interface BusyMinute {
  readonly usual: number
  readonly failing: number
}

/** `busy` is the share of processors that the busiest database needs. */
export async function drawDay(day: readonly Minute[], busy: readonly BusyMinute[], note: string): Promise<void> {
  const panels = [
    panel('How many questions are asked per second?', [{ values: day.map((minute) => minute.asksPerSecond) }], 0),
    panel('How many are open?', [{ values: day.map(({ open }) => open) }], 1),
    panel(
      'How busy is the busiest database? (line: usually; dashed: after a failover; per cent of its cores)',
      [
        { values: busy.map(({ usual }) => usual * 100) },
        { values: busy.map(({ failing }) => failing * 100), dashed: true },
      ],
      2,
    ),
  ]
  const height = 70 + 3 * (panelHeight + gap)
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" role="img">`,
    '<title>A simulated day of a hundred million people</title>',
    '<rect width="100%" height="100%" fill="#fff"/>',
    '<text x="16" y="26" font-size="18" font-weight="bold">A simulated day of a hundred million people</text>',
    `<text x="16" y="46" fill="#555" font-size="11">${note}</text>`,
    ...panels,
    '</svg>',
    '',
  ]
  await writeFile(target, svg.join('\n'))
}

function panel(title: string, lines: readonly Line[], index: number): string {
  const top = 84 + index * (panelHeight + gap)
  const bottom = top + panelHeight
  const most = Math.max(...lines.flatMap(({ values }) => values)) * 1.1
  const x = (minute: number, count: number) => left + ((width - left - 24) * minute) / (count - 1)
  const y = (value: number) => bottom - (panelHeight * value) / most
  const ticks = [0, 0.5, 1].map((share) => {
    const value = (most / 1.1) * share
    return `<line x1="${left}" y1="${y(value)}" x2="${width - 24}" y2="${y(value)}" stroke="#ddd"/><text x="${left - 8}" y="${y(value) + 4}" text-anchor="end" font-size="11" fill="#555">${shown(value)}</text>`
  })
  const hours = [0, 6, 12, 18, 24].map(
    (hour) =>
      `<text x="${x(hour, 25)}" y="${bottom + 16}" text-anchor="middle" font-size="11" fill="#555">${hour}:00 UTC</text>`,
  )
  const drawn = lines.map(({ values, dashed = false }) => {
    const points = values.flatMap((value, minute) =>
      minute % 5 === 0 ? [`${x(minute, values.length).toFixed(1)},${y(value).toFixed(1)}`] : [],
    )
    return `<polyline fill="none" stroke="#000" stroke-width="1.5" ${dashed ? 'stroke-dasharray="4 3"' : ''} points="${points.join(' ')}"/>`
  })
  return [`<text x="16" y="${top - 10}" font-weight="bold">${title}</text>`, ...ticks, ...hours, ...drawn].join('\n')
}

function shown(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toFixed(1)} M`
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toFixed(value === 0 ? 0 : 1)
}
