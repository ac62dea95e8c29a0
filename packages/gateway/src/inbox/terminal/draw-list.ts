// A person's open asks, rendered as lines for the width and height of their terminal.
//
// Pure function. Text in a view is already escaped for the web; here it is put on one line.

import { type AskView, endingText, shownOnOneLine, whoAsksInFull } from '@assent/core'
import { type Pen, truncateToWidth } from '@assent/sdk/terminal'
import { askListText as text } from './text/ask-list.ts'
import { ageInWords } from './text/times.ts'

export interface DrawnList {
  /** Newest first. */
  readonly asks: readonly AskView[]
  /** More asks exist than are listed. */
  readonly hasMore: boolean
  readonly selected: string | undefined
  /** A message about the last event. */
  readonly notice: string
  /** Which store the asks are in. */
  readonly place: string
  readonly nowMs: number
}

const soonMs = 60_000
const ageColumns = 6
const leftColumns = 21
const widestName = 40
/** Lines that are not asks: header, notice, keys, who asks below the selected row, and the space around them. */
const linesAround = 8

export function drawList(pen: Pen, list: DrawnList): string[] {
  const { asks, notice } = list
  const rows = Math.max(pen.rows - linesAround, 1)
  const at = Math.max(
    asks.findIndex(({ id }) => id === list.selected),
    0,
  )
  const from = Math.max(Math.min(at - Math.floor(rows / 2), asks.length - rows), 0)
  const seen = asks.slice(from, from + rows)
  const below = asks.length - from - seen.length
  const notShown = [
    ...(from > 0 ? [text.above(from)] : []),
    ...(below > 0 ? [text.below(below)] : []),
    ...(list.hasMore ? [text.olderLater] : []),
  ]
  return [
    head(pen, list),
    '',
    ...(asks.length === 0 ? nothing(pen) : seen.flatMap((ask) => [row(pen, ask, list), ...whole(pen, ask, list)])),
    pen.paint('dim', notShown.length === 0 ? '' : ` ${pen.signs.more} ${notShown.join(' · ')}`),
    '',
    notice === '' ? '' : ` ${truncateToWidth(shownOnOneLine(notice), pen.columns - 2)}`,
    pen.paint('dim', truncateToWidth(` ${text.keys}`, pen.columns)),
  ]
}

function head(pen: Pen, { asks, hasMore, place }: DrawnList): string {
  const count = asks.filter(({ state }) => state.kind === 'open').length
  const words = ` ${text.title(count, hasMore)}`
  const room = pen.columns - words.length - 1
  const where = place.length + 2 > room ? '' : place.padStart(room)
  return `${pen.paint('bold', words)}${pen.paint('dim', where)}`
}

function nothing(pen: Pen): string[] {
  return [` ${text.none}`, pen.paint('dim', ` ${text.newAppear}`)]
}

function row(pen: Pen, ask: AskView, { selected, nowMs }: DrawnList): string {
  const { signs, paint, columns } = pen
  const isHere = ask.id === selected
  const sign = isHere ? paint('cyan', signs.on) : ' '
  const nameColumns = nameColumnsOf(pen)
  const name = truncateToWidth(shownOnOneLine(whoAsksInFull(ask)), nameColumns)
  const room = columns - nameColumns - 6
  if (ask.state.kind !== 'open') {
    return ` ${sign} ${paint('dim', `${name}  ${truncateToWidth(shownOnOneLine(endingText(ask, nowMs) ?? ''), room)}`)}`
  }
  const headline = truncateToWidth(shownOnOneLine(ask.headline), room - ageColumns - leftColumns - 4)
  const age = ageInWords(nowMs - ask.raisedAtMs).padStart(ageColumns)
  return ` ${sign} ${isHere ? paint('bold', name) : name}  ${isHere ? paint('bold', headline) : headline}  ${paint('dim', age)}  ${remaining(pen, ask, nowMs)}`
}

/** Below the selected row: who asks, if the row has no room for it. */
function whole(pen: Pen, ask: AskView, { selected }: DrawnList): string[] {
  const who = shownOnOneLine(whoAsksInFull(ask))
  if (ask.id !== selected || truncateToWidth(who, nameColumnsOf(pen)).trimEnd() === who) return []
  return [pen.paint('dim', truncateToWidth(`   ${who}`, pen.columns))]
}

function nameColumnsOf({ columns }: Pen): number {
  return Math.min(widestName, Math.floor(columns / 3))
}

/** Dim, then normal, then bold as the deadline approaches. */
function remaining(pen: Pen, { decideByMs, quorum, answers }: AskView, nowMs: number): string {
  if (answers.length === 0) return pen.paint('dim', truncateToWidth(text.waitsForOthers, leftColumns))
  const ms = decideByMs - nowMs
  const votes = quorum === undefined ? '' : `${text.votes(quorum.approvals, quorum.approvalsNeeded)} `
  const words = truncateToWidth(`${votes}${text.expiresIn(ms)}`, leftColumns)
  if (ms < soonMs) return pen.paint('bold', words)
  return ms < 5 * soonMs ? words : pen.paint('dim', words)
}
