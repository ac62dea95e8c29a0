// What a person may see, newest first, page by page.
//
// A person is an approver under several names (themselves, their groups), and each name has its own index to walk; the
// walks are merged here. A page starts after the last row of the one before, never at an offset, so asks that arrive or
// end in between neither repeat nor hide any other.

import { Buffer } from 'node:buffer'
import {
  type Ask,
  AssentError,
  approverNames,
  mayDecide,
  type NamedOutcome,
  type Person,
  type Question,
} from '@assent/core'
import type { Engine } from '../engine/engine.ts'
import { type AskRow, readElectorate } from './ask-row.ts'
import type { Asks } from './asks.ts'
import { listAsks } from './list-asks.ts'
import { type FigureRow, listFigures } from './list-figures.ts'

export interface InboxQuery {
  readonly tenant: string
  readonly person: Person
  /** What waits for an answer, or what no longer does. */
  readonly show: 'open' | 'ended'
  readonly server?: string
  readonly kind?: Question['kind']
  /** Of what has ended. */
  readonly outcome?: NamedOutcome
  /** At most 100; 50 unless told. */
  readonly pageSize?: number
  /** From the page before. */
  readonly cursor?: string
}

export interface InboxPage {
  readonly asks: readonly Ask[]
  /** Absent on the last page. */
  readonly next?: string
}

export interface FiguresQuery {
  readonly tenant: string
  readonly person: Person
  readonly sinceMs: number
  /** At most 10,000. */
  readonly atMost: number
}

/** How one ask ended, without what was asked and answered. */
export interface EndedAsk {
  readonly server: string
  readonly tool?: string
  readonly outcome: NamedOutcome
  readonly tookMs: number
}

export interface Figures {
  /** Newest first. */
  readonly ended: readonly EndedAsk[]
  /** False when there were more than were wanted. */
  readonly complete: boolean
}

interface Position {
  readonly before_at: number
  readonly before_id: string
}

const pageSizeMost = 100
const pageSizeUsual = 50
const figuresMost = 10_000
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
    const size = query.pageSize ?? pageSizeUsual
    if (!Number.isSafeInteger(size) || size < 1 || size > pageSizeMost) {
      throw new AssentError('validation_failed', `A page has from 1 to ${pageSizeMost} asks.`)
    }
    if (query.outcome !== undefined && query.show === 'open') {
      throw new AssentError('validation_failed', 'What is open has no outcome yet.')
    }
    const position = query.cursor === undefined ? start : readCursor(query.cursor)
    // One more than wanted tells whether another page follows.
    const shape = {
      open: query.show === 'open',
      byServer: query.server !== undefined,
      byKind: query.kind !== undefined,
      byOutcome: query.outcome !== undefined,
      atMost: size + 1,
    }
    const { tenant, person, server = null, kind = null, outcome = null } = query
    const walks = await Promise.all(
      approverNames(person).map((approver) =>
        this.#engine.run(listAsks(shape), { tenant, approver, server, kind, outcome, ...position }),
      ),
    )
    const rows = merge(walks)
    const shown = rows.slice(0, size)
    const last = shown.at(-1)
    const asks = await Promise.all(shown.map((row) => this.#asks.withVotes(row)))
    const visible = asks.filter((ask) => mayDecide(ask.electorate, person))
    return rows.length > size && last !== undefined ? { asks: visible, next: cursorAfter(last) } : { asks: visible }
  }

  /** How what a person may see has ended, for counting. */
  async figures({ tenant, person, sinceMs, atMost }: FiguresQuery): Promise<Figures> {
    if (!Number.isSafeInteger(atMost) || atMost < 1 || atMost > figuresMost) {
      throw new AssentError('validation_failed', `At most ${figuresMost} asks are counted.`)
    }
    const walks = await Promise.all(
      approverNames(person).map((approver) =>
        this.#engine.run(listFigures(atMost + 1), { tenant, approver, since: sinceMs }),
      ),
    )
    const rows = merge(walks)
    const visible = rows.slice(0, atMost).filter((row) => mayDecide(readElectorate(row.electorate), person))
    return { ended: visible.map(endedAsk), complete: rows.length <= atMost }
  }
}

function endedAsk({ server, tool, outcome, raised_at, ended_at }: FigureRow): EndedAsk {
  const asker = tool === null ? { server } : { server, tool }
  return { ...asker, outcome: outcome as NamedOutcome, tookMs: ended_at - raised_at }
}

/** Newest first, each ask once although two names may lead to it. */
function merge<R extends { readonly id: string; readonly raised_at: number }>(walks: readonly (readonly R[])[]): R[] {
  const [only] = walks
  if (walks.length === 1 && only !== undefined) return [...only]
  const byId = new Map(walks.flat().map((row) => [row.id, row]))
  return [...byId.values()].sort((a, b) => b.raised_at - a.raised_at || (a.id < b.id ? 1 : -1))
}

function cursorAfter(row: AskRow): string {
  return Buffer.from(JSON.stringify([row.raised_at, row.id])).toString('base64url')
}

/** A cursor is only a place in a list the person may see anyway, so it is checked for shape and nothing else. */
function readCursor(cursor: string): Position {
  try {
    const [at, id]: unknown[] = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Number.isSafeInteger(at) && typeof id === 'string') return { before_at: at as number, before_id: id }
  } catch {
    // Falls through to the one explanation.
  }
  throw new AssentError('validation_failed', 'This page link is damaged. Start again from the first page.')
}
