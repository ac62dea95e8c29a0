// Asks over HTTP: list, read, answer, look back, count.
//
// An ask exists for those who may decide it and for nobody else. Only a POST decides, and the id of the decision makes
// sending it twice the same as sending it once.

import {
  type AnsweredView,
  type Ask,
  type AskPageView,
  askView,
  endingInWords,
  type InboxProblemCode,
  isId,
  mayDecide,
  type Naming,
  type OneAskView,
  type Person,
  screenUrl,
} from '@assent/core'
import type { Answered, InboxQuery, Store } from '@assent/store'
import { inboxLimits } from '../limits.ts'
import { readJsonBody } from './body.ts'
import { drawFigures } from './figures.ts'
import { notFound, problem } from './problem.ts'

export interface AsksApiOptions {
  readonly store: Store
  readonly tenant: string
  readonly naming: Naming
  readonly now: () => number
}

const kinds = ['form', 'url', 'approval'] as const
const dayMs = 24 * 60 * 60 * 1_000
export const decisionIdPattern: RegExp = /^[\w-]{16,64}$/

export class AsksApi {
  readonly #store: Store
  readonly #tenant: string
  readonly #naming: Naming
  readonly #now: () => number

  constructor({ store, tenant, naming, now }: AsksApiOptions) {
    this.#store = store
    this.#tenant = tenant
    this.#naming = naming
    this.#now = now
  }

  async list(person: Person, show: InboxQuery['show'], search: URLSearchParams): Promise<Response> {
    const query = readQuery(search)
    if (query === undefined) return problem('malformed', 'A filter or page size is not one of those there are.')
    const { asks, next } = await this.#store.inbox.page({ tenant: this.#tenant, person, show, ...query })
    const page: AskPageView = {
      asks: asks.map((ask) => this.#view(ask, person)),
      ...(next === undefined ? {} : { next }),
      nowMs: this.#now(),
    }
    return Response.json(page)
  }

  async read(person: Person, id: string): Promise<Response> {
    const ask = await this.#find(person, id)
    return ask === undefined ? notFound() : Response.json(this.#one(ask, person))
  }

  async answer(person: Person, id: string, request: Request): Promise<Response> {
    const ask = await this.#find(person, id)
    const read = await readJsonBody(request)
    // Whoever may not know of the ask is told so before anything about their request.
    if (ask === undefined) return notFound()
    if (!read.ok) return read.response
    const { decisionId, answer } = read.body
    if (typeof decisionId !== 'string' || !decisionIdPattern.test(decisionId)) {
      return problem('malformed', 'An answer carries a decision id of 16 to 64 letters and digits.')
    }
    if (isAccept(answer) && !mayFollow(ask)) {
      return problem(
        'refused',
        'The link cannot be opened safely, so there is nothing to approve. Decline or dismiss it.',
      )
    }
    const given = { tenant: this.#tenant, id, person, via: 'inbox', answer, decisionId } as const
    return this.tell(await this.#store.asks.answer(given), person)
  }

  async isTheirs(person: Person, id: string): Promise<boolean> {
    return (await this.#find(person, id)) !== undefined
  }

  async figures(person: Person, search: URLSearchParams): Promise<Response> {
    const days = Number(search.get('days') ?? 30)
    if (!Number.isSafeInteger(days) || days < 1 || days > inboxLimits.figuresDays) {
      return problem('malformed', `Figures reach back from 1 to ${inboxLimits.figuresDays} days.`)
    }
    const now = this.#now()
    const sinceMs = now - days * dayMs
    const { tenant, atMost } = { tenant: this.#tenant, atMost: inboxLimits.figures }
    const figures = await this.#store.inbox.figures({ tenant, person, sinceMs, atMost })
    return Response.json(drawFigures(figures, sinceMs, now))
  }

  /** What became of an answer, in words for the person who gave it. */
  tell(answered: Answered, person: Person): Response {
    switch (answered.kind) {
      case 'settled':
      case 'counted': {
        const told: AnsweredView = { ...this.#one(answered.ask, person), result: answered.kind }
        return Response.json(told)
      }
      case 'ended': {
        const { ask, nowMs } = this.#one(answered.ask, person)
        const what = endingInWords(ask, nowMs) ?? ''
        return problem('ended', `Your answer came too late and changed nothing. ${what}`, { ask, nowMs })
      }
      case 'invalid':
        return problem('invalid', 'Something is missing or does not fit. The ask is still open.', {
          issues: answered.issues,
        })
      case 'malformed':
        return problem('malformed', answered.message)
      case 'not-found':
        return notFound()
      default:
        return problem(...explanations[answered.kind])
    }
  }

  async #find(person: Person, id: string): Promise<Ask | undefined> {
    if (!isId(id, 'ask')) return undefined
    const ask = await this.#store.asks.read(this.#tenant, id)
    return ask !== undefined && mayDecide(ask.electorate, person) ? ask : undefined
  }

  #one(ask: Ask, person: Person): OneAskView {
    return { ask: this.#view(ask, person), nowMs: this.#now() }
  }

  #view(ask: Ask, person: Person) {
    return askView(ask, person, this.#naming)
  }
}

const explanations: Readonly<
  Record<'already-voted' | 'no-cancel' | 'conflict' | 'state-used', [InboxProblemCode, string]>
> = {
  'already-voted': ['already-voted', 'You have answered this already, and your first answer stands.'],
  'no-cancel': ['no-cancel', 'Several people decide this together: approve it, decline it, or leave it to the others.'],
  conflict: ['conflict', 'This decision was sent before with another answer, and that one stands.'],
  'state-used': ['conflict', 'This answer was used before.'],
}

function isAccept(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'action' in answer && answer.action === 'accept'
}

function mayFollow({ question }: Ask): boolean {
  return question.kind !== 'url' || screenUrl(question.url).ok
}

function readQuery(search: URLSearchParams): Pick<InboxQuery, 'server' | 'kind' | 'cursor' | 'pageSize'> | undefined {
  const [server, kind, cursor, size] = ['server', 'kind', 'cursor', 'size'].map((name) => search.get(name) || undefined)
  const known = kinds.find((one) => one === kind)
  if (kind !== undefined && known === undefined) return undefined
  if (size !== undefined && !/^\d{1,3}$/.test(size)) return undefined
  return {
    ...(server === undefined ? {} : { server }),
    ...(known === undefined ? {} : { kind: known }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(size === undefined ? {} : { pageSize: Number(size) }),
  }
}
