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
} from '@assent/core'
import type { InboxQuery, Store } from '@assent/store'
import { AskService, type AskServiceResult } from './ask-service.ts'
import { readJsonBody } from './body.ts'
import { ChainCheck } from './chain-check.ts'
import { inboxLimits } from './limits.ts'
import type { PresenceService } from './passkeys/presence-service.ts'
import { notFound, problem } from './problem.ts'
import { decidersIn, statisticsView } from './statistics.ts'
import { answerRefusals as text } from './text/answering.ts'

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
  readonly #nameOf: DisplayNames['nameOf']
  readonly #service: AskService
  readonly #chain: ChainCheck

  constructor({ store, tenant, naming, learn, now, presence }: AsksApiOptions) {
    this.#store = store
    this.#tenant = tenant
    this.#now = now
    this.#nameOf = naming.nameOf
    this.#service = new AskService({ store, tenant, naming, learn, now, presence, via: 'inbox' })
    this.#chain = new ChainCheck(store, tenant, now)
  }

  async list(person: Person, show: InboxQuery['show'], search: URLSearchParams): Promise<Response> {
    const query = readQuery(search)
    if (query === undefined || (show === 'open' && isOfEnded(query))) return problem('malformed', text.invalidFilter)
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
    const { person, staleGroups } = this.#decider(visitor, signedInAtMs)
    const given = { decisionId, answer, confirmed, presence, staleGroups }
    const answered = await this.#service.answer(person, ask, given)
    if (answered.ok || listed === undefined) return respond(answered)
    // The listed ask may have ended since, which is a more useful error.
    const current = await this.#service.find(visitor, id)
    if (current === undefined) return notFound()
    return respond(await this.#service.answer(person, current, given))
  }

  async startPresence(visitor: Person, id: string, request: Request, signedInAtMs: number): Promise<Response> {
    const ask = await this.#service.find(visitor, id)
    const read = await readJsonBody(request)
    if (ask === undefined) return notFound()
    if (!read.ok) return read.response
    const { answer, confirmed } = read.body
    const { person, staleGroups } = this.#decider(visitor, signedInAtMs)
    return respond(await this.#service.startPresence(person, ask, { answer, confirmed, staleGroups }))
  }

  /** The visitor as they may decide: groups that the issuer confirmed too long ago let a person see an ask, but not decide it. */
  #decider(visitor: Person, signedInAtMs: number): { person: Person; staleGroups: readonly string[] } {
    const isFresh = this.#now() - signedInAtMs <= inboxLimits.groupsFreshMs
    return isFresh
      ? { person: visitor, staleGroups: [] }
      : { person: { ...visitor, groups: [] }, staleGroups: visitor.groups }
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
    const proven = await this.#store.audit.proof(this.#tenant, ask.id, grant?.id)
    if (proven === undefined) return notFound()
    const chain = await this.#chain.upTo(proven.entries.at(-1)?.seq ?? 0)
    const proof: ProofView = { ...proven, chain, nowMs: this.#now() }
    if (!search.has('download')) return Response.json(proof)
    const headers = {
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${ask.id}.json"`,
    }
    return new Response(JSON.stringify(proof, undefined, 2), { headers })
  }

  async statistics(person: Person, search: URLSearchParams): Promise<Response> {
    const days = Number(search.get('days') ?? 30)
    if (!Number.isSafeInteger(days) || days < 1 || days > inboxLimits.statisticsDays) {
      return problem('malformed', text.invalidPeriod)
    }
    const zone = Number(search.get('zone') ?? 0)
    if (!Number.isSafeInteger(zone) || Math.abs(zone) > dayMs / 60_000) return problem('malformed', text.invalidZone)
    const now = this.#now()
    const sinceMs = now - days * dayMs
    const { tenant, atMost } = { tenant: this.#tenant, atMost: inboxLimits.statisticsAsks }
    const counted = await this.#store.inbox.statistics({ tenant, person, sinceMs, atMost })
    const people = decidersIn(counted).map(
      async (principal) => [principal, await this.#store.signIns.nameOf(tenant, principal)] as const,
    )
    const names = new Map(await Promise.all(people))
    return Response.json(
      statisticsView(counted, sinceMs, now, (who) => names.get(who) ?? this.#nameOf(who), zone * 60_000),
    )
  }
}

function respond(result: AskServiceResult<object>): Response {
  return result.ok ? Response.json(result.view) : problemResponse(result.problem)
}

function problemResponse({ code, message, ...more }: InboxProblem): Response {
  return problem(code, message, more)
}

type Filters = Omit<InboxQuery, 'tenant' | 'person' | 'show'>

function isOfEnded({ outcome, tool, fromMs, untilMs }: Filters): boolean {
  return [outcome, tool, fromMs, untilMs].some((one) => one !== undefined)
}

function readQuery(search: URLSearchParams): Filters | undefined {
  const given = (name: string) => search.get(name) || undefined
  const [server, kind, cursor, size] = [given('server'), given('kind'), given('cursor'), given('size')]
  const ending = given('outcome')
  const outcome = namedOutcomes.find((one) => one === ending)
  if (ending !== undefined && outcome === undefined) return undefined
  const known = kinds.find((one) => one === kind)
  if (kind !== undefined && known === undefined) return undefined
  if (size !== undefined && !/^\d{1,3}$/.test(size)) return undefined
  const [fromMs, untilMs] = [given('from'), given('until')]
  if ([fromMs, untilMs].some((at) => at !== undefined && !/^\d{1,15}$/.test(at))) return undefined
  return {
    ...compact({ server, kind: known, outcome, cursor }),
    ...compact({ tool: given('tool'), agent: given('agent'), project: given('project') }),
    ...(fromMs === undefined ? {} : { fromMs: Number(fromMs) }),
    ...(untilMs === undefined ? {} : { untilMs: Number(untilMs) }),
    ...(size === undefined ? {} : { pageSize: Number(size) }),
  }
}
