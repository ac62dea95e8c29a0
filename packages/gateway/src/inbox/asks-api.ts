// Asks over HTTP: list, read, answer, history, statistics.
//
// An ask is visible only to people who may decide it, and to the person whose call waits for it. Only a POST decides, and it is idempotent by decision id.

import {
  type Ask,
  compact,
  type DisplayNames,
  type InboxProblem,
  isId,
  namedOutcomes,
  type Person,
  type ProofView,
  proofFormat,
} from '@assent/core'
import type { InboxQuery, Store } from '@assent/store'
import { AskService, type AskServiceResult } from './ask-service.ts'
import { readJsonBody } from './body.ts'
import { ChainCheck } from './chain-check.ts'
import { inboxLimits } from './limits.ts'
import type { PresenceService } from './passkeys/presence-service.ts'
import { notFound, problem } from './problem.ts'
import { drawFigures } from './statistics.ts'

export interface AsksApiOptions {
  readonly store: Store
  readonly tenant: string
  readonly naming: DisplayNames
  readonly learn: (asks: readonly Ask[]) => Promise<void>
  readonly now: () => number
  readonly presence: PresenceService
}

const kinds = ['form', 'url', 'approval'] as const
const dayMs = 24 * 60 * 60 * 1_000

export class AsksApi {
  readonly #store: Store
  readonly #tenant: string
  readonly #now: () => number
  readonly #service: AskService
  readonly #chain: ChainCheck

  constructor({ store, tenant, naming, learn, now, presence }: AsksApiOptions) {
    this.#store = store
    this.#tenant = tenant
    this.#now = now
    this.#service = new AskService({ store, tenant, naming, learn, now, presence, via: 'inbox' })
    this.#chain = new ChainCheck(store, tenant, now)
  }

  async list(person: Person, show: InboxQuery['show'], search: URLSearchParams): Promise<Response> {
    const query = readQuery(search)
    if (query === undefined || (query.outcome !== undefined && show === 'open'))
      return problem('malformed', 'Invalid filter or page size.')
    return Response.json(await this.#service.page(person, { show, ...query }))
  }

  async read(person: Person, id: string): Promise<Response> {
    return respond(await this.#service.read(person, id))
  }

  /** @param signedInAtMs when the issuer confirmed the person's groups */
  async answer(visitor: Person, id: string, request: Request, signedInAtMs: number): Promise<Response> {
    const listed = this.#service.findListed(visitor, id)
    const ask = listed ?? (await this.#service.find(visitor, id))
    const read = await readJsonBody(request)
    // 404 first: errors about the body would reveal that the ask exists.
    if (ask === undefined) return notFound()
    if (!read.ok) return read.response
    const { decisionId, answer, confirmed, presence } = read.body
    const isFresh = this.#now() - signedInAtMs <= inboxLimits.groupsFreshMs
    const person = isFresh ? visitor : { ...visitor, groups: [] }
    const given = { decisionId, answer, confirmed, presence, ...(isFresh ? {} : { staleGroups: visitor.groups }) }
    const answered = await this.#service.answer(person, ask, given)
    if (answered.ok || listed === undefined) return respond(answered)
    // The listed ask may have ended since, which is a more useful error.
    const current = await this.#service.find(visitor, id)
    if (current === undefined) return notFound()
    return respond(await this.#service.answer(person, current, given))
  }

  async startPresence(person: Person, id: string, request: Request): Promise<Response> {
    const ask = await this.#service.find(person, id)
    const read = await readJsonBody(request)
    if (ask === undefined) return notFound()
    if (!read.ok) return read.response
    const { answer, confirmed } = read.body
    return respond(await this.#service.startPresence(person, ask, { answer, confirmed }))
  }

  /** The ask of a page for a secret; visible only to the person the page is bound to. */
  async readSecret(person: Person, page: string): Promise<Response> {
    const ask = await this.#askOfPage(person, page)
    return ask === undefined ? notFound() : Response.json(this.#service.one(ask, person))
  }

  async handOver(person: Person, page: string, request: Request): Promise<Response> {
    const ask = await this.#askOfPage(person, page)
    const read = await readJsonBody(request)
    if (ask === undefined) return notFound()
    if (!read.ok) return read.response
    const { decisionId, sealed, presence } = read.body
    return respond(await this.#service.handOver(person, ask, page, { decisionId, sealed, presence }))
  }

  async #askOfPage(person: Person, page: string): Promise<Ask | undefined> {
    const id = isId(page, 'secret') ? await this.#store.secrets.askOf(this.#tenant, page) : undefined
    return id === undefined ? undefined : this.#service.find(person, id)
  }

  /** The audit entries of one ask; with `download` the browser saves them as a file. */
  async proof(person: Person, id: string, search: URLSearchParams): Promise<Response> {
    const ask = await this.#service.find(person, id)
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
      return problem('malformed', `Statistics cover 1 to ${inboxLimits.figuresDays} days.`)
    }
    const now = this.#now()
    const sinceMs = now - days * dayMs
    const { tenant, atMost } = { tenant: this.#tenant, atMost: inboxLimits.figures }
    const figures = await this.#store.inbox.statistics({ tenant, person, sinceMs, atMost })
    return Response.json(drawFigures(figures, sinceMs, now))
  }
}

function respond(result: AskServiceResult<object>): Response {
  return result.ok ? Response.json(result.view) : problemResponse(result.problem)
}

function problemResponse({ code, message, ...more }: InboxProblem): Response {
  return problem(code, message, more)
}

type Filters = Pick<InboxQuery, 'server' | 'kind' | 'outcome' | 'cursor' | 'pageSize'>

function readQuery(search: URLSearchParams): Filters | undefined {
  const given = (name: string) => search.get(name) || undefined
  const [server, kind, cursor, size] = [given('server'), given('kind'), given('cursor'), given('size')]
  const ending = given('outcome')
  const outcome = namedOutcomes.find((one) => one === ending)
  if (ending !== undefined && outcome === undefined) return undefined
  const known = kinds.find((one) => one === kind)
  if (kind !== undefined && known === undefined) return undefined
  if (size !== undefined && !/^\d{1,3}$/.test(size)) return undefined
  return {
    ...compact({ server, kind: known, outcome, cursor }),
    ...(size === undefined ? {} : { pageSize: Number(size) }),
  }
}
