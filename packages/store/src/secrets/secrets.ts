// Pages where a person hands over a secret to one server.
//
// Owns: the ciphertext, and who may collect it. The store does not have the key.
// I1  A page is opened by one server, assigned to one person, answered once, and collected only by that server.
// I2  Whether a secret was handed over is the state of the page's ask, and stored nowhere else.

import { AssentError } from '@assent/core'
import type { AnswerResult, HandOverRequest } from '../asks/answer-request.ts'
import type { Asks } from '../asks/asks.ts'
import type { Audit } from '../audit/audit.ts'
import { DuplicateKey, type Engine } from '../engine/engine.ts'
import { bindPage, linkPage } from './bind-page.ts'
import { collectPage, releasePage } from './collect-page.ts'
import { openPage, reopenPage } from './open-page.ts'
import { readPage } from './read-page.ts'

export interface PageDraft {
  readonly tenant: string
  readonly id: string
  readonly server: string
  readonly publicKey: string
  /** How long the person may take, and how long after that the server may collect it. */
  readonly decideWithinMs: number
  readonly keepMs: number
  /** The limits of open pages: of this server, and of all servers. */
  readonly perServer: number
  readonly inAll: number
}

export interface PageKey {
  readonly tenant: string
  readonly id: string
  readonly server: string
}

export interface BoundPage {
  readonly publicKey: string
  readonly leftMs: number
  /** The ask that it answers, if there is one already. */
  readonly askId?: string
}

export type CollectedSecret =
  | { readonly kind: 'ready'; readonly sealed: string; readonly principal: string }
  /** The call that collected it has ended, or the page was withdrawn. */
  | { readonly kind: 'released' }
  /** Its question never passed the gateway, so no person was asked. */
  | { readonly kind: 'unbound' }
  /** No secret was handed over: the state of the page's ask shows whether that is still possible. */
  | { readonly kind: 'empty'; readonly askId: string }

export class Secrets {
  readonly #engine: Engine
  readonly #asks: Asks
  readonly #audit: Audit

  constructor(engine: Engine, asks: Asks, audit: Audit) {
    this.#engine = engine
    this.#asks = asks
    this.#audit = audit
  }

  /** Returns the deadline for the person, or undefined if too many pages are open. Opening it again changes nothing. */
  async open(draft: PageDraft): Promise<number | undefined> {
    const { tenant, id, server, publicKey, decideWithinMs, keepMs, perServer, inAll } = draft
    const page = { tenant, id, server, public_key: publicKey }
    const limits = { decide_within: decideWithinMs, keep_for: keepMs, per_server: perServer, in_all: inAll }
    try {
      const [opened] = await this.#engine.run(openPage, { ...page, ...limits })
      return opened?.decide_by
    } catch (error) {
      if (!(error instanceof DuplicateKey)) throw error
      const [before] = await this.#engine.run(reopenPage, page)
      if (before === undefined) throw new AssentError('validation_failed', `There is another page with the id ${id}.`)
      return before.decide_by
    }
  }

  /** Assigns a page to the person on whose behalf its server asks. Undefined if it belongs to another server or person. */
  async bind(key: PageKey, principal: string): Promise<BoundPage | undefined> {
    const { tenant, id, server } = key
    const [row] = await this.#engine.run(bindPage, { tenant, id, server, principal })
    if (row === undefined) return undefined
    const bound = { publicKey: row.public_key, leftMs: row.left_ms }
    return row.ask_id === null ? bound : { ...bound, askId: row.ask_id }
  }

  /** The ask that the page answers: this one, unless it had one already. Undefined if there is no such page. */
  async link(tenant: string, id: string, askId: string): Promise<string | undefined> {
    const [linked] = await this.#engine.run(linkPage, { tenant, id, ask_id: askId })
    return linked?.ask_id ?? (await this.askOf(tenant, id))
  }

  async askOf(tenant: string, id: string): Promise<string | undefined> {
    const [row] = await this.#engine.run(readPage, { tenant, id })
    return row?.ask_id ?? undefined
  }

  /** Accepts the page's ask. */
  async handOver(request: HandOverRequest): Promise<AnswerResult> {
    return this.#asks.handOver(request)
  }

  /** For the server that opened the page; undefined for any other, and after its expiry. */
  async collect({ tenant, id, server }: PageKey, atMost: number): Promise<CollectedSecret | undefined> {
    const [row] = await this.#engine.run(collectPage, { tenant, id, server, at_most: atMost })
    if (row === undefined) return undefined
    if (row.principal === null || row.ask_id === null) return { kind: 'unbound' }
    if (row.released_at !== null) return { kind: 'released' }
    if (row.sealed === null) return { kind: 'empty', askId: row.ask_id }
    if (row.collections === 1) await this.#note(tenant, row.ask_id, { secret: 'collected', server })
    return { kind: 'ready', sealed: row.sealed, principal: row.principal }
  }

  /** Deletes the secret; if there is none yet, it can no longer be handed over. */
  async release({ tenant, id, server }: PageKey): Promise<boolean> {
    const [row] = await this.#engine.run(releasePage, { tenant, id, server })
    if (row !== undefined && row.ask_id !== null) await this.#asks.withdraw(tenant, row.ask_id, 'call-cancelled')
    return row !== undefined
  }

  async #note(tenant: string, subject: string, body: object): Promise<void> {
    await this.#audit.append(tenant, [{ subject, body }])
  }
}
