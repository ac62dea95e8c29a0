// A plot of all numbers that have a limit: one bar per number, drawn relative to its limit, so that different units can be
// compared. A bar that passes the line has missed its goal.
//
// Hand-written SVG, in black and grey with patterns instead of colours, like the other plots.
import { type Goal, isMet } from '../measurement.ts'

const [width, left, right, rowHeight, top] = [1_080, 520, 230, 24, 78]
const mostShown = 2

export interface PlottedGoal extends Goal {
  readonly bench: string
}

export function goalsPlot(goals: readonly PlottedGoal[]): string {
  const bottom = top + goals.length * rowHeight
  const limitX = xOf(1)
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${bottom + 34}" font-family="sans-serif" font-size="12" role="img">`,
    '<title>Measured numbers relative to their goals</title>',
    '<rect width="100%" height="100%" fill="#fff"/>',
    text(16, 26, 'Measured numbers relative to their goals', 'font-size="18" font-weight="bold"'),
    text(
      16,
      46,
      'A bar within the line has reached its goal. Bars beyond twice the goal are cut.',
      'fill="#555" font-size="11"',
    ),
    ...goals.flatMap((goal, index) => rowOf(goal, top + (index + 0.5) * rowHeight)),
    `<line x1="${limitX}" y1="${top - 6}" x2="${limitX}" y2="${bottom}" stroke="#000" stroke-width="1.5"/>`,
    text(limitX, bottom + 16, 'goal', 'text-anchor="middle" font-size="11"'),
    '</svg>',
    '',
  ].join('\n')
}

/** How much of its limit a number uses: at most 1 if the goal is reached. */
export function shareOfGoal({ value, most, least }: Goal): number {
  if (most === 0) return value === 0 ? 0 : Number.POSITIVE_INFINITY
  if (most !== undefined) return value / most
  return (least ?? Number.NaN) / value
}

function rowOf(goal: PlottedGoal, y: number): string[] {
  const isReached = isMet(goal)
  const share = Math.min(mostShown, Math.max(0, shareOfGoal(goal)))
  const weight = isReached ? '' : 'font-weight="bold"'
  return [
    text(left - 10, y + 4, `${goal.bench}: ${goal.what}`, `text-anchor="end" ${weight}`),
    `<rect x="${left}" y="${y - 7}" width="${xOf(share) - left}" height="14" fill="${isReached ? '#bbb' : '#333'}"/>`,
    text(width - right + 10, y + 4, `${valueText(goal)}${isReached ? '' : ', missed'}`, `font-size="11" ${weight}`),
  ]
}

function xOf(share: number): number {
  return Math.round(left + (share / mostShown) * (width - left - right))
}

/** Such as `0.23 ms (at most 0.3)`. */
export function valueText({ value, unit, most, least }: Goal): string {
  const limit = most === undefined ? `at least ${numberText(least ?? Number.NaN)}` : `at most ${numberText(most)}`
  return `${numberText(value)}${unit === '' ? '' : ` ${unit}`} (${limit})`
}

function numberText(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)))
}

function text(x: number, y: number, words: string, attributes: string): string {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<text x="${x}" y="${y}" ${attributes}>${escaped}</text>`
}
