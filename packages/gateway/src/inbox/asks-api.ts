// Asks over HTTP: list, read, answer, look back, count.
//
// An ask exists for those who may decide it and for nobody else. Only a POST decides, and the id of the decision makes
// sending it twice the same as sending it once.

import {
  type Ask,
  type InboxProblem,
  isId,
  type Naming,
  namedOutcomes,
  type Person,
  type ProofView,
  proofFormat,
} from '@assent/core'
import type { InboxQuery, Store } from '@assent/store'
import { inboxLimits } from '../limits.ts'
import { AskDesk, type Told } from './ask-desk.ts'
import { readJsonBody } from './body.ts'
import { ChainCheck } from './chain-check.ts'
import { drawFigures } from './figures.ts'
import { notFound, problem } from './problem.ts'

export interface AsksApiOptions {
  readonly store: Store
  readonly tenant: string
  readonly naming: Naming
  readonly learn: (asks: readonly Ask[]) => Promise<void>
  readonly now: () => number
}

const kinds = ['form', 'url', 'approval'] as const
const dayMs = 24 * 60 * 60 * 1_000

export class AsksApi {
  readonly #store: Store
  readonly #tenant: string
  readonly #now: () => number
  readonly #desk: AskDesk
  readonly #chain: ChainCheck

  constructor({ store, tenant, naming, learn, now }: AsksApiOptions) {
    this.#store = store
    this.#tenant = tenant
    this.#now = now
    this.#desk = new AskDesk({ store, tenant, naming, learn, now, via: 'inbox' })
    this.#chain = new ChainCheck(store, tenant, now)
  }

  async list(person: Person, show: InboxQuery['show'], search: URLSearchParams): Promise<Response> {
    const query = readQuery(search)
    if (query === undefined || (query.outcome !== undefined && show === 'open'))
      return problem('malformed', 'A filter or page size is not one of those there are.')
    return Response.json(await this.#desk.page(person, { show, ...query }))
  }

  async read(person: Person, id: string): Promise<Response> {
    return respond(await this.#desk.read(person, id))
  }

  async answer(person: Person, id: string, request: Request): Promise<Response> {
    const ask = await this.#desk.find(person, id)
    const read = await readJsonBody(request)
    // Whoever may not know of the ask is told so before anything about their request.
    if (ask === undefined) return notFound()
    if (!read.ok) return read.response
    const { decisionId, answer, confirmed } = read.body
    return respond(await this.#desk.answer(person, ask, { decisionId, answer, confirmed }))
  }

  /** The ask of a page for a secret, which exists for the person it was made for and for nobody else. */
  async readSecret(person: Person, page: string): Promise<Response> {
    const ask = await this.#ofPage(person, page)
    return ask === undefined ? notFound() : Response.json(this.#desk.one(ask, person))
  }

  async handOver(person: Person, page: string, request: Request): Promise<Response> {
    const ask = await this.#ofPage(person, page)
    const read = await readJsonBody(request)
    if (ask === undefined) return notFound()
    if (!read.ok) return read.response
    const { decisionId, sealed } = read.body
    return respond(await this.#desk.handOver(person, ask, page, { decisionId, sealed }))
  }

  async #ofPage(person: Person, page: string): Promise<Ask | undefined> {
    const id = isId(page, 'secret') ? await this.#store.secrets.askOf(this.#tenant, page) : undefined
    return id === undefined ? undefined : this.#desk.find(person, id)
  }

  /** What the record says about one ask; `download` has the browser keep it as a file. */
  async proof(person: Person, id: string, search: URLSearchParams): Promise<Response> {
    const ask = await this.#desk.find(person, id)
    if (ask === undefined) return notFound()
    const grant = await this.#store.grants.read(this.#tenant, ask.id)
    const entries = await this.#store.audit.entriesOf(this.#tenant, ask.id, grant?.id)
    const chain = await this.#chain.upTo(entries.at(-1)?.seq ?? 0)
    const proof: ProofView = {
      format: proofFormat,
      tenant: this.#tenant,
      ask: ask.id,
      entries,
      chain,
      nowMs: this.#now(),
    }
    if (!search.has('download')) return Response.json(proof)
    const headers = {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${ask.id}.json"`,
    }
    return new Response(JSON.stringify(proof, undefined, 2), { headers })
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
}

function respond(told: Told<object>): Response {
  return told.ok ? Response.json(told.view) : sayProblem(told.problem)
}

function sayProblem({ code, message, ...more }: InboxProblem): Response {
  return problem(code, message, more)
}

type Narrowing = Pick<InboxQuery, 'server' | 'kind' | 'outcome' | 'cursor' | 'pageSize'>

function readQuery(search: URLSearchParams): Narrowing | undefined {
  const given = (name: string) => search.get(name) || undefined
  const [server, kind, cursor, size] = [given('server'), given('kind'), given('cursor'), given('size')]
  const ending = given('outcome')
  const outcome = namedOutcomes.find((one) => one === ending)
  if (ending !== undefined && outcome === undefined) return undefined
  const known = kinds.find((one) => one === kind)
  if (kind !== undefined && known === undefined) return undefined
  if (size !== undefined && !/^\d{1,3}$/.test(size)) return undefined
  return {
    ...(server === undefined ? {} : { server }),
    ...(known === undefined ? {} : { kind: known }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(size === undefined ? {} : { pageSize: Number(size) }),
  }
}
