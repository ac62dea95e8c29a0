// A plot of the relay's figures: one row per route, a dot at the median, a line to the 99th percentile.
//
// Hand-written SVG, in black and grey only, so that it is readable in print and without colour vision.

import { writeFile } from 'node:fs/promises'
import type { Timing } from './latency.ts'
import { generations } from './words.ts'

const target = new URL('../../docs/relay-latency.svg', import.meta.url)
const title = 'How long does one question take?'
const width = 790
const left = 200
const right = 150
const rowHeight = 26
const panelGap = 58

export async function drawPlot(timings: readonly Timing[], note: string): Promise<void> {
  const scale = logScale(timings)
  let y = 76
  const parts: string[] = []
  for (const generation of generations) {
    const rows = timings.filter(({ way }) => way.generation === generation)
    parts.push(text(16, y, `Revision ${generation}`, 'font-weight="bold"'))
    const top = y + 12
    const bottom = top + rows.length * rowHeight
    for (const ms of scale.ticks) {
      const x = scale.x(ms)
      parts.push(`<line x1="${x}" y1="${top}" x2="${x}" y2="${bottom}" stroke="#ccc"/>`)
      parts.push(text(x, bottom + 15, `${ms} ms`, 'text-anchor="middle" fill="#555" font-size="11"'))
    }
    rows.forEach((row, index) => {
      parts.push(rowOf(row, top + (index + 0.5) * rowHeight, scale.x))
    })
    y = bottom + panelGap
  }
  const subtitle = `A tool call that asks one question and is accepted, one after the other. Dot: median; line: to p99. ${note}`
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y - 16}" font-family="sans-serif" font-size="13" role="img">`,
    `<title>${title}</title>`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    text(16, 26, title, 'font-size="18" font-weight="bold"'),
    text(16, 46, subtitle, 'fill="#555" font-size="11"'),
    ...parts,
    '</svg>',
    '',
  ]
  await writeFile(target, svg.join('\n'))
}

function rowOf({ way, medianMs, p99Ms }: Timing, y: number, x: (ms: number) => number): string {
  const weight = way.name.startsWith('gateway') ? 'font-weight="bold"' : ''
  const label = `${shown(medianMs)} ms (p99 ${shown(p99Ms)})`
  return [
    text(left - 14, y + 4, way.name, `text-anchor="end" ${weight}`),
    `<line x1="${x(medianMs)}" y1="${y}" x2="${x(p99Ms)}" y2="${y}" stroke="#777" stroke-width="2"/>`,
    `<circle cx="${x(medianMs)}" cy="${y}" r="5" fill="#000"/>`,
    text(width - right + 14, y + 4, label, `font-size="12" ${weight}`),
  ].join('')
}

/** Routes differ by up to a factor of a thousand, so the axis is logarithmic. */
function logScale(timings: readonly Timing[]): { ticks: number[]; x: (ms: number) => number } {
  const lowest = Math.floor(Math.log10(Math.min(...timings.map(({ medianMs }) => medianMs))))
  const highest = Math.ceil(Math.log10(Math.max(...timings.map(({ p99Ms }) => p99Ms))))
  const span = width - left - right
  return {
    ticks: Array.from({ length: highest - lowest + 1 }, (_, n) => Number((10 ** (lowest + n)).toPrecision(1))),
    x: (ms) => Math.round(left + (span * (Math.log10(ms) - lowest)) / (highest - lowest)),
  }
}

function shown(ms: number): string {
  return ms < 10 ? ms.toFixed(2) : ms.toFixed(0)
}

function text(x: number, y: number, label: string, attributes = ''): string {
  return `<text x="${x}" y="${y}" ${attributes}>${label}</text>`
}
