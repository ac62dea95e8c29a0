// The asks that a person may see, in pages: open ones as they were raised, the others as they ended, newest first.
//
// A person is an approver under several names (their own and their groups'). Each name has its own index scan; the scans are
// merged here. A page starts after the last row of the previous one, never at an offset, so asks that are raised or end in
// between cause no duplicates and no gaps.
//
// I1  A page with filters looks at a limited number of asks of each name. If it stops there, the next page continues after them,
//     and `searchedToMs` tells how far it got.

import { Buffer } from 'node:buffer'
import {
  type Ask,
  type AskCaller,
  AssentError,
  approverNames,
  maySee,
  type NamedOutcome,
  type Person,
  type Question,
} from '@assent/core'
import type { Engine } from '../engine/engine.ts'
import { storeLimits } from '../limits.ts'
import { readApprovalRule, readCaller } from './ask-row.ts'
import type { Asks } from './asks.ts'
import { callerMember, type ListRange, listAsks, type Position, searchEnd } from './list-asks.ts'
import { type EndedAskRow, listEndedAsks } from './list-ended.ts'

export interface InboxQuery {
  readonly tenant: string
  readonly person: Person
  readonly show: 'open' | 'ended'
  readonly server?: string
  readonly kind?: Question['kind']
  /** Only asks that came from the program with this name, and from the folder with this name (`AskCaller`). */
  readonly agent?: string
  readonly project?: string
  /** Only for `ended`. */
  readonly outcome?: NamedOutcome
  /** Only for `ended`: of the tool with this name. */
  readonly tool?: string
  /** Only for `ended`: that ended at this time or later. */
  readonly fromMs?: number
  /** Only for `ended`: that ended before this time. */
  readonly untilMs?: number
  /** At most 100; default 50. */
  readonly pageSize?: number
  /** From the previous page. */
  readonly cursor?: string
}

export interface InboxPage {
  readonly asks: readonly Ask[]
  /** Absent on the last page. */
  readonly next?: string
  /** Present if the page is not full and asks before this time were not searched: `next` continues there. */
  readonly searchedToMs?: number
}

export interface AskStatisticsQuery {
  readonly tenant: string
  readonly person: Person
  readonly sinceMs: number
  /** At most 10,000. */
  readonly atMost: number
}

/** How one ask ended, without its question and answer. */
export interface EndedAsk {
  readonly server: string
  readonly tool?: string
  readonly outcome: NamedOutcome
  readonly raisedAtMs: number
  readonly tookMs: number
  /** The policies that required it. */
  readonly policies?: readonly string[]
  /** Whose answer ended it. */
  readonly decidedBy?: string
  readonly caller?: AskCaller
}

export interface AskStatistics {
  /** Newest first. */
  readonly ended: readonly EndedAsk[]
  /** False if there were more than `atMost`. */
  readonly complete: boolean
}

const pageSizeMost = 100
const pageSizeDefault = 50
const statisticsMost = 10_000
// '~' sorts after every character of an id.
const start: Position = { place: Number.MAX_SAFE_INTEGER, id: '~' }

export class Inbox {
  readonly #engine: Engine
  readonly #asks: Asks

  constructor(engine: Engine, asks: Asks) {
    this.#engine = engine
    this.#asks = asks
  }

  async page(query: InboxQuery): Promise<InboxPage> {
    const size = query.pageSize ?? pageSizeDefault
    if (!Number.isSafeInteger(size) || size < 1 || size > pageSizeMost) {
      throw new AssentError('validation_failed', `A page has from 1 to ${pageSizeMost} asks.`)
    }
    const { outcome = null, tool = null, fromMs, untilMs } = query
    const isOfEnded = [outcome ?? undefined, tool ?? undefined, fromMs, untilMs].some((one) => one !== undefined)
    if (isOfEnded && query.show === 'open') {
      throw new AssentError('validation_failed', 'Open asks have no outcome and no end yet.')
    }
    const { tenant, person, server = null, kind = null } = query
    const agent = query.agent === undefined ? null : callerMember('client', query.agent)
    const project = query.project === undefined ? null : callerMember('folder', query.project)
    const filters = { server, kind, outcome, tool, agent, project }
    const first = untilMs === undefined ? start : { ...start, place: untilMs - 1 }
    const before = query.cursor === undefined ? first : readCursor(query.cursor)
    const whole = rangeOf({ place: fromMs ?? 0, id: '' }, before)
    const isFiltered = Object.values(filters).some((one) => one !== null)
    const end = isFiltered ? await this.#searchEnd(query, whole) : undefined
    const range = end === undefined ? whole : rangeOf(end, before)
    // One more row shows whether another page follows.
    const shape = {
      open: query.show === 'open',
      byServer: server !== null,
      byKind: kind !== null,
      byOutcome: outcome !== null,
      byTool: tool !== null,
      byAgent: agent !== null,
      byProject: project !== null,
      atMost: size + 1,
    }
    const scans = await Promise.all(
      approverNames(person).map((approver) =>
        this.#engine.run(listAsks(shape), { tenant, approver, ...filters, ...range }),
      ),
    )
    const rows = merge(scans, ({ place }) => place)
    const shown = rows.slice(0, size)
    const last = shown.at(-1)
    const asks = await Promise.all(shown.map((row) => this.#asks.withVotes(row)))
    const visible = asks.flatMap((ask) => (ask !== undefined && maySee(ask, person) ? [ask] : []))
    if (rows.length > size && last !== undefined) return { asks: visible, next: cursorAt(last) }
    if (end !== undefined) return { asks: visible, next: cursorAt(end), searchedToMs: end.place }
    return { asks: visible }
  }

  /** The position where a search stops for all names of the person; undefined if it reaches the end. */
  async #searchEnd({ tenant, person, show }: InboxQuery, range: ListRange): Promise<Position | undefined> {
    const statement = searchEnd(show === 'open', storeLimits.searchedAtOnce)
    const ends = await Promise.all(
      approverNames(person).map((approver) => this.#engine.run(statement, { tenant, approver, ...range })),
    )
    const stops = ends.flatMap(([stop, after]) => (stop === undefined || after === undefined ? [] : [stop]))
    return stops.sort(newestFirst)[0]
  }

  /** How the asks that a person may see have ended. */
  async statistics({ tenant, person, sinceMs, atMost }: AskStatisticsQuery): Promise<AskStatistics> {
    if (!Number.isSafeInteger(atMost) || atMost < 1 || atMost > statisticsMost) {
      throw new AssentError('validation_failed', `At most ${statisticsMost} asks are counted.`)
    }
    const scans = await Promise.all(
      approverNames(person).map((approver) =>
        this.#engine.run(listEndedAsks(atMost + 1), { tenant, approver, since: sinceMs }),
      ),
    )
    const rows = merge(scans, (row) => row.raised_at)
    const visible = rows
      .slice(0, atMost)
      .filter((row) => maySee({ approvalRule: readApprovalRule(row.approval_rule), principal: row.principal }, person))
    return { ended: visible.map(endedAsk), complete: rows.length <= atMost }
  }
}

function endedAsk(row: EndedAskRow): EndedAsk {
  const { server, tool, outcome, raised_at, ended_at, policies, decided_by, caller } = row
  return {
    server,
    ...(tool === null ? {} : { tool }),
    outcome: outcome as NamedOutcome,
    raisedAtMs: raised_at,
    tookMs: ended_at - raised_at,
    ...(policies === null ? {} : { policies: JSON.parse(policies) as readonly string[] }),
    ...(decided_by === null ? {} : { decidedBy: decided_by }),
    ...(caller === null ? {} : { caller: readCaller(caller) }),
  }
}

/** Newest first, each ask once although two names may match it. */
function merge<R extends { readonly id: string }>(scans: readonly (readonly R[])[], placeOf: (row: R) => number): R[] {
  const [only] = scans
  if (scans.length === 1 && only !== undefined) return [...only]
  const byId = new Map(scans.flat().map((row) => [row.id, row]))
  return [...byId.values()].sort((a, b) =>
    newestFirst({ place: placeOf(a), id: a.id }, { place: placeOf(b), id: b.id }),
  )
}

function newestFirst(a: Position, b: Position): number {
  return b.place - a.place || (a.id < b.id ? 1 : -1)
}

function rangeOf(after: Position, before: Position): ListRange {
  return { after_at: after.place, after_id: after.id, before_at: before.place, before_id: before.id }
}

function cursorAt({ place, id }: Position): string {
  return Buffer.from(JSON.stringify([place, id])).toString('base64url')
}

/** A cursor is only a position in a list that the person may see anyway, so only its shape is checked. */
function readCursor(cursor: string): Position {
  try {
    const [place, id]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Number.isSafeInteger(place) && typeof id === 'string') return { place: place as number, id }
  } catch {
    // Falls through to the same error.
  }
  throw new AssentError('validation_failed', 'Invalid cursor. Start again from the first page.')
}
