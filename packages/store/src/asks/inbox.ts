// The asks that a person may see, in pages: open ones as they were raised, the others as they ended, newest first.
//
// A person is an approver under several names (their own and their groups'). Each name has its own index scan; the scans are
// merged here. A page starts after the last row of the previous one, never at an offset, so asks that are raised or end in
// between cause no duplicates and no gaps.

import { Buffer } from 'node:buffer'
import {
  type Ask,
  AssentError,
  approverNames,
  maySee,
  type NamedOutcome,
  type Person,
  type Question,
} from '@assent/core'
import type { Engine } from '../engine/engine.ts'
import { readApprovalRule } from './ask-row.ts'
import type { Asks } from './asks.ts'
import { type ListedAskRow, listAsks } from './list-asks.ts'
import { type EndedAskRow, listEndedAsks } from './list-ended.ts'

export interface InboxQuery {
  readonly tenant: string
  readonly person: Person
  readonly show: 'open' | 'ended'
  readonly server?: string
  readonly kind?: Question['kind']
  /** Only for `ended`. */
  readonly outcome?: NamedOutcome
  /** At most 100; default 50. */
  readonly pageSize?: number
  /** From the previous page. */
  readonly cursor?: string
}

export interface InboxPage {
  readonly asks: readonly Ask[]
  /** Absent on the last page. */
  readonly next?: string
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
  readonly tookMs: number
}

export interface AskStatistics {
  /** Newest first. */
  readonly ended: readonly EndedAsk[]
  /** False if there were more than `atMost`. */
  readonly complete: boolean
}

interface Position {
  readonly before_at: number
  readonly before_id: string
}

const pageSizeMost = 100
const pageSizeDefault = 50
const statisticsMost = 10_000
// '~' sorts after every character of an id.
const start: Position = { before_at: Number.MAX_SAFE_INTEGER, before_id: '~' }

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
    if (query.outcome !== undefined && query.show === 'open') {
      throw new AssentError('validation_failed', 'Open asks have no outcome yet.')
    }
    const position = query.cursor === undefined ? start : readCursor(query.cursor)
    // One more row shows whether another page follows.
    const shape = {
      open: query.show === 'open',
      byServer: query.server !== undefined,
      byKind: query.kind !== undefined,
      byOutcome: query.outcome !== undefined,
      atMost: size + 1,
    }
    const { tenant, person, server = null, kind = null, outcome = null } = query
    const scans = await Promise.all(
      approverNames(person).map((approver) =>
        this.#engine.run(listAsks(shape), { tenant, approver, server, kind, outcome, ...position }),
      ),
    )
    const rows = merge(scans, ({ place }) => place)
    const shown = rows.slice(0, size)
    const last = shown.at(-1)
    const asks = await Promise.all(shown.map((row) => this.#asks.withVotes(row)))
    const visible = asks.filter((ask) => maySee(ask, person))
    return rows.length > size && last !== undefined ? { asks: visible, next: cursorAfter(last) } : { asks: visible }
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

function endedAsk({ server, tool, outcome, raised_at, ended_at }: EndedAskRow): EndedAsk {
  const asker = tool === null ? { server } : { server, tool }
  return { ...asker, outcome: outcome as NamedOutcome, tookMs: ended_at - raised_at }
}

/** Newest first, each ask once although two names may match it. */
function merge<R extends { readonly id: string }>(scans: readonly (readonly R[])[], placeOf: (row: R) => number): R[] {
  const [only] = scans
  if (scans.length === 1 && only !== undefined) return [...only]
  const byId = new Map(scans.flat().map((row) => [row.id, row]))
  return [...byId.values()].sort((a, b) => placeOf(b) - placeOf(a) || (a.id < b.id ? 1 : -1))
}

function cursorAfter(row: ListedAskRow): string {
  return Buffer.from(JSON.stringify([row.place, row.id])).toString('base64url')
}

/** A cursor is only a position in a list that the person may see anyway, so only its shape is checked. */
function readCursor(cursor: string): Position {
  try {
    const [at, id]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Number.isSafeInteger(at) && typeof id === 'string') return { before_at: at as number, before_id: id }
  } catch {
    // Falls through to the same error.
  }
  throw new AssentError('validation_failed', 'Invalid cursor. Start again from the first page.')
}
