// A secret on its way through: read what is asked, hand it over. Nothing here can read it.
//
// A page exists for the person it was made for and for nobody else. It is an ask with a door of its own; whoever would
// decline it answers the ask.

import { type HandOverBody, isId, isPlainObject, type Person, secretLimits } from '@assent/core'
import type { Store } from '@assent/store'
import { type AsksApi, decisionIdPattern } from './asks-api.ts'
import { readJsonBody } from './body.ts'
import { notFound, problem } from './problem.ts'

export class SecretsApi {
  readonly #store: Store
  readonly #tenant: string
  readonly #asks: AsksApi

  constructor(store: Store, tenant: string, asks: AsksApi) {
    this.#store = store
    this.#tenant = tenant
    this.#asks = asks
  }

  async read(person: Person, page: string): Promise<Response> {
    const askId = await this.#askOf(page)
    return askId === undefined ? notFound() : this.#asks.read(person, askId)
  }

  async handOver(person: Person, page: string, request: Request): Promise<Response> {
    const askId = await this.#askOf(page)
    const read = await readJsonBody(request)
    // Whoever may not know of the page is told so before anything about their request.
    if (askId === undefined || !(await this.#asks.isTheirs(person, askId))) return notFound()
    if (!read.ok) return read.response
    const body = bodyOf(read.body)
    if (body === undefined)
      return problem('malformed', 'What is handed over is encrypted, in the form that pages send.')
    const { decisionId, sealed } = body
    const handing = { tenant: this.#tenant, id: askId, page, person, decisionId, sealed: JSON.stringify(sealed) }
    return this.#asks.tell(await this.#store.secrets.handOver(handing), person)
  }

  async #askOf(page: string): Promise<string | undefined> {
    return isId(page, 'secret') ? this.#store.secrets.askOf(this.#tenant, page) : undefined
  }
}

function bodyOf({ decisionId, sealed }: Readonly<Record<string, unknown>>): HandOverBody | undefined {
  if (typeof decisionId !== 'string' || !decisionIdPattern.test(decisionId)) return undefined
  if (!isPlainObject(sealed)) return undefined
  const { enc, ct } = sealed
  if (!isBase64url(enc) || !isBase64url(ct) || enc.length + ct.length > secretLimits.sealedChars) return undefined
  return { decisionId, sealed: { enc, ct } }
}

function isBase64url(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]+$/.test(value)
}
