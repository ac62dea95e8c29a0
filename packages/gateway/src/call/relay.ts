// Connects clients and servers: finds the server of a call, screens its questions, and writes the audit trail.
//
// Independent of the protocol revision. It keeps no calls: one that needs people returns everything that `continue` needs
// in its state.

import type { JsonValue, TooManyOpen } from '@assent/core'
import { relayLimits } from '../limits.ts'
import { errorCodes, type Notification } from '../protocol/messages.ts'
import { own } from '../protocol/own.ts'
import type { AuditTrail } from './audit-trail.ts'
import { away } from './away.ts'
import type { RelayState } from './call-state.ts'
import { canBeAsked } from './capabilities.ts'
import { DestructiveTools } from './destructive-tools.ts'
import {
  type Answers,
  bareReason,
  type Call,
  type Description,
  type Failed,
  type Finished,
  failed,
  heldId,
  type InputRequest,
  type InputResponse,
  mayAsk,
  type Outcome,
  type QuestionRefusal,
  type Upstream,
  unsent,
  withoutAskIds,
} from './model.ts'
import { calledBy, listOf, namedIn } from './names.ts'
import { type NamedTarget, Naming } from './naming.ts'
import { errorTo, notificationTo, resultTo, type UriForClients } from './outgoing-uris.ts'
import { markedForPresence } from './presence.ts'
import type { OpenAskLimits } from './screen/open-limits.ts'
import type { LinkScreen } from './screen/screen-links.ts'
import {
  isLost,
  isNoAnswer,
  isSecretAnswer,
  lostAnswer,
  type Rejection,
  rejections,
  schemasOf,
  screenAnswers,
} from './screen/screen-questions.ts'
import { outcomeText } from './text/outcomes.ts'

/** The descriptions of the servers, and why the others are unavailable. */
export interface Descriptions {
  readonly available: readonly Description[]
  readonly unavailable: readonly { readonly server: string; readonly reason: string }[]
}

/** Returns a server, opened on first use; concurrent first uses share one connection. */
export type FindUpstream = (name: string, call: Call) => Promise<Upstream>

export type OnRefused = (call: Call, server: string, why: QuestionRefusal) => void

export class Relay {
  readonly #names: readonly string[]
  readonly #find: FindUpstream
  readonly #trail: AuditTrail
  readonly asking: OpenAskLimits
  readonly #links: LinkScreen | undefined
  readonly #onRefused: OnRefused
  readonly #naming: Naming
  readonly #destructive = new DestructiveTools()

  /**
   * @param names read at each call, because a reload changes them
   * @param onRefused called for each round with a question that no person will see
   * @param naming for the same servers, changed by the same reloads
   */
  constructor(
    names: readonly string[],
    find: FindUpstream,
    trail: AuditTrail,
    asking: OpenAskLimits,
    links: LinkScreen | undefined = undefined,
    onRefused: OnRefused = () => undefined,
    naming: Naming = new Naming(Object.fromEntries(names.map((name) => [name, {}]))),
  ) {
    this.#naming = naming
    this.#names = names
    this.#find = find
    this.#trail = trail
    this.asking = asking
    this.#links = links
    this.#onRefused = onRefused
  }

  /** Number of configured servers. */
  get size(): number {
    return this.#names.length
  }

  async start(call: Call): Promise<Outcome<RelayState>> {
    const isPrefixed = this.#names.length !== 1
    if (isPrefixed && listOf(call.method) !== undefined) return this.#list(call)
    if (isPrefixed && call.method === 'logging/setLevel') return this.#setLevels(call)
    const target = await this.#target(call)
    if ('kind' in target) return target
    const outcome = await this.#run(target, { ...call, params: target.params }, isPrefixed)
    return outcome.kind === 'finished' ? this.#listed(target.server, call.method, outcome) : outcome
  }

  /** The target of a call, or the failure. An unknown short name is looked up in its server's list. */
  async #target(call: Call): Promise<NamedTarget | Outcome<RelayState>> {
    const { method, params } = call
    const found = this.#naming.find(method, params)
    if (found === undefined) return unknownTarget(call)
    if ('params' in found) return found
    const listing = await this.#allPages(found.server, { ...call, method: 'tools/list', params: {} }, 'tools')
    if (listing.failure !== undefined) return listing.failure
    this.#named(found.server, 'tools/list', listing.items)
    const again = this.#naming.find(method, params)
    return again !== undefined && 'params' in again ? again : unknownTarget(call)
  }

  async continue(asked: Call, state: RelayState, received: Answers): Promise<Outcome<RelayState>> {
    const { server, inner, schemas, round, isPrefixed } = state
    const given = withoutAskIds(received)
    const call = this.#asBegun(asked, state)
    const { screened, ofPeople, names } = screenAnswers(schemas, given, this.asking.allowsSecrets(server))
    if (Object.values(screened).some(isSecretAnswer)) this.#onRefused(call, server, 'secret-answer')
    if (Object.values(screened).some(isUnfit)) this.#onRefused(call, server, 'invalid-answer')
    const namesByKey = Object.fromEntries(ofPeople.map(([key], at) => [key, names[at]]))
    this.#trail.answered(call, server, screened, namesByKey, given)
    const ended = ofPeople.map(([key, answer], at) => ({ answer, name: names[at], askId: own(received, key)?.askId }))
    this.asking.ended(call, server, round, ended)
    // A server that does not wait gets only choices, and no person made one.
    if (heldId(inner) === undefined && Object.values(screened).some(isLost))
      return unsent(lostAnswer.error.code, lostAnswer.error.message)
    // A continuation that is sent as a new request must still be allowed; a held call has already begun.
    if (heldId(inner) === undefined && !this.#isOffered(server, call)) return unsentTo(call)
    const seen = this.#seenBy(server, call, isPrefixed)
    try {
      const upstream = await this.#find(server, call)
      const first = await upstream.continue(seen, inner, screened)
      const outcome = await this.#screen(upstream, seen, first, state).catch((error: unknown) => away(server, error))
      const { undelivered = [] } = first
      if (undelivered.length === 0) return outcome
      const unusedAnswers = undelivered.filter((key) => !isNoAnswer(screened[key]))
      this.#trail.undelivered(call, server, unusedAnswers)
      return { ...outcome, undelivered }
    } catch (error) {
      return away(server, error)
    }
  }

  /** The call with the names that its server uses. */
  #asBegun(call: Call, { isPrefixed, target }: RelayState): Call {
    if (target !== undefined) return calledBy(call, target)
    if (!isPrefixed) return call
    const found = this.#naming.find(call.method, call.params)
    return { ...call, params: found !== undefined && 'params' in found ? found.params : {} }
  }

  #isOffered(server: string, { method, params }: Call): boolean {
    const named = namedIn(method, params)
    // Of a call that can ask, only one whose name no longer exists has none.
    return named === undefined ? !mayAsk(method) : this.#naming.offers(server, named.kind, named.name)
  }

  /** Handles a reached limit on open asks: a server that waits gets an error and continues; otherwise the call ends. */
  async refuse(asked: Call, state: RelayState, { limit, message }: TooManyOpen): Promise<Outcome<RelayState>> {
    const call = this.#asBegun(asked, state)
    const given: InputResponse = { error: { code: errorCodes.refused, message } }
    const { server, round, schemas } = state
    this.#onRefused(call, server, `too-many-open-${limit}`)
    const all = Object.fromEntries(Object.keys(schemas).map((key) => [key, given]))
    if (heldId(state.inner) !== undefined) return this.continue(asked, state, all)
    this.#trail.answered(call, server, all)
    this.asking.ended(
      call,
      server,
      round,
      Object.values(schemas).flatMap((schema) => (schema === false ? [] : [{ answer: given }])),
    )
    return failed(errorCodes.refused, message)
  }

  async describe(call: Call): Promise<Descriptions> {
    const all = await Promise.allSettled(
      this.#names.map(async (name) => (await this.#find(name, call)).describe(this.asking.seenBy(call, name))),
    )
    return {
      available: all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])),
      unavailable: all.flatMap((one, at) =>
        one.status === 'fulfilled' ? [] : [{ server: this.#names[at] ?? '', reason: bareReason(one.reason) }],
      ),
    }
  }

  /** Forwards notifications from all servers until the caller's signal aborts. */
  async listen(call: Call): Promise<void> {
    const isAlone = this.#names.length === 1
    await Promise.allSettled(
      this.#names.map(async (name) => {
        const seen = this.asking.seenBy(call, name)
        const params = this.#naming.watchedAt(name, call.params)
        const own = isAlone ? seen : { ...seen, ...this.#renamingNotify(name, call), params }
        await (await this.#find(name, call)).listen(own)
      }),
    )
  }

  /** Forwards a client's notification to all servers. */
  async notify(call: Call, notification: Notification): Promise<void> {
    for (const name of this.#names) {
      const upstream = await this.#find(name, call).catch(() => undefined)
      upstream?.notify?.(this.asking.seenBy(call, name), notification)
    }
  }

  async leave(call: Call): Promise<void> {
    for (const name of this.#names) {
      const upstream = await this.#find(name, call).catch(() => undefined)
      upstream?.leave(call.principal, call.scope)
    }
  }

  async #run(
    target: Pick<NamedTarget, 'server' | 'name'>,
    asked: Call,
    isPrefixed: boolean,
  ): Promise<Outcome<RelayState>> {
    const { server, name } = target
    const call = this.#seenBy(server, asked, isPrefixed)
    try {
      const upstream = await this.#find(server, call)
      const began = name === undefined ? { isPrefixed } : { isPrefixed, target: name }
      const first = await upstream.start(call)
      // Not awaited: a store error while links are screened is thrown, and not reported as an error of the server.
      return this.#screen(upstream, call, first, began)
    } catch (error) {
      return away(server, error)
    }
  }

  /** The call as it is passed to the server's adapter. */
  #seenBy(server: string, call: Call, isPrefixed: boolean): Call {
    const notifying = isPrefixed ? this.#renamingNotify(server, call) : {}
    return { ...this.asking.seenBy(call, server), ...notifying, onRefused: (why) => this.#onRefused(call, server, why) }
  }

  /** Forwards a server's notifications with the names that the client knows. */
  #renamingNotify(server: string, { notify }: Call): Pick<Call, 'notify'> {
    return { notify: (notification) => notify(notificationTo(this.#uriOf(server), notification)) }
  }

  #uriOf(server: string): UriForClients {
    return (uri) => this.#naming.nameFor(server, 'resource', uri)
  }

  /** The items of a server's list, with the names for clients. */
  #named(server: string, method: string, items: readonly JsonValue[]): JsonValue[] {
    this.#destructive.listed(server, method, items)
    return this.#naming.listed(server, method, items)
  }

  /** Converts a page of the only server's list to the names for clients. */
  #listed(server: string, method: string, outcome: Finished): Finished {
    const name = listOf(method)
    const items = name === undefined ? undefined : outcome.result[name]
    if (name === undefined || !Array.isArray(items)) return outcome
    return { ...outcome, result: { ...outcome.result, [name]: this.#named(server, method, items) } }
  }

  /** Screens the questions. For a refused question, a server that waits gets an error; otherwise the call fails. */
  async #screen(
    upstream: Upstream,
    call: Call,
    first: Outcome,
    { isPrefixed, target }: Pick<RelayState, 'isPrefixed' | 'target'>,
  ): Promise<Outcome<RelayState>> {
    let outcome = first
    for (let round = 0; round < relayLimits.roundsPerCall; round++) {
      if (outcome.kind === 'finished' && isPrefixed)
        return { ...outcome, result: resultTo(this.#uriOf(upstream.name), call.method, outcome.result) }
      if (outcome.kind === 'failed' && isPrefixed)
        return { ...outcome, error: errorTo(this.#uriOf(upstream.name), call.method, outcome.error) }
      if (outcome.kind !== 'input-required') return outcome
      const { state: inner } = outcome
      const inTool = this.#destructive.marked(upstream.name, call, outcome.wanted)
      const asked = markedForPresence(this.asking.presence, inTool)
      const { wanted, refused } = await this.#refusals(call, upstream.name, asked).catch(async (error: unknown) => {
        // The layers above do not know yet that the server waits, so they cannot cancel the call.
        await abandon(upstream, call, outcome).catch(() => undefined)
        throw error
      })
      const [unfit] = refused
      const opened = unfit === undefined ? this.asking.open(call, upstream.name, wanted, outcome.over) : undefined
      if (opened?.ok === true) {
        // The client adapter refuses it with its revision's error.
        if (
          outcome.over === undefined &&
          !Object.values(wanted).every(({ kind }) => canBeAsked(call.client.capabilities, kind))
        )
          this.#onRefused(call, upstream.name, 'unsupported')
        this.#trail.asked(call, upstream.name, wanted)
        const begun = { server: upstream.name, inner, schemas: schemasOf(wanted), isPrefixed }
        const state = target === undefined ? begun : { ...begun, target }
        return { ...outcome, wanted, state: opened.round === undefined ? state : { ...state, round: opened.round } }
      }
      this.#onRefused(call, upstream.name, opened?.why ?? unfit?.[1].why ?? 'schema')
      const code = opened?.code ?? errorCodes.invalidParams
      if (outcome.over === undefined) {
        const reason = opened?.reason ?? outcomeText.questionNotAllowed(upstream.name, unfit?.[1].message)
        return failed(code, reason)
      }
      const all =
        opened === undefined
          ? refused.map(([key, { message }]) => [key, message] as const)
          : Object.keys(wanted).map((key) => [key, opened.reason] as const)
      const errors = all.map(([key, message]) => [key, { error: { code, message } }])
      outcome = await upstream.continue(call, inner, Object.fromEntries(errors))
    }
    await abandon(upstream, call, outcome)
    return failed(errorCodes.refused, outcomeText.keptAsking(upstream.name))
  }

  /** The refused questions with their reasons; and all questions, with details of links that lead to this gateway. */
  async #refusals(
    call: Call,
    server: string,
    asked: Readonly<Record<string, InputRequest>>,
  ): Promise<{ wanted: Readonly<Record<string, InputRequest>>; refused: readonly (readonly [string, Rejection])[] }> {
    const refused = Object.entries(rejections(asked))
    if (this.#links === undefined || refused.length > 0) return { wanted: asked, refused }
    const screened = await this.#links.judge(call, server, asked)
    const links = Object.entries(screened.refused).map(([key, message]) => [key, { why: 'link', message }] as const)
    return { wanted: screened.wanted, refused: links }
  }

  /** Sets one level for all servers that log. An error only if every server rejects it. */
  async #setLevels(call: Call): Promise<Outcome<RelayState>> {
    const outcomes = await Promise.all(this.#names.map((server) => this.#run({ server }, call, true)))
    return outcomes.find(({ kind }) => kind === 'finished') ?? outcomes[0] ?? unknownTarget(call)
  }

  /** The lists of all servers as one, in the order of the configuration. A server that fails is left out. */
  async #list(call: Call): Promise<Finished> {
    const name = listOf(call.method) ?? ''
    const pages = await Promise.all(this.#names.map((server) => this.#allPages(server, call, name)))
    const items = pages.flatMap((page, index) => this.#named(this.#names[index] ?? '', call.method, page.items))
    return { kind: 'finished', result: { [name]: items, resultType: 'complete', ttlMs: 0, cacheScope: 'private' } }
  }

  /** All pages of a server's list, or the pages before a failure. */
  async #allPages(
    server: string,
    call: Call,
    name: string,
  ): Promise<{ items: JsonValue[]; failure?: Outcome<RelayState> }> {
    const items: JsonValue[] = []
    let cursor: JsonValue | undefined
    for (let page = 0; page < 100; page++) {
      const { cursor: _ours, ...params } = call.params
      const paged = cursor === undefined ? params : { ...params, cursor }
      const outcome = await this.#run({ server }, { ...call, params: paged }, false)
      const list = outcome.kind === 'finished' ? outcome.result[name] : undefined
      if (outcome.kind !== 'finished' || !Array.isArray(list)) return { items, failure: outcome }
      items.push(...list)
      cursor = outcome.result.nextCursor
      if (cursor === undefined) return { items }
    }
    return { items }
  }
}

function isUnfit(given: InputResponse): boolean {
  return 'result' in given && given.isUnfit === true
}

/** Ends a held call that is no longer needed, as if its caller had cancelled. */
async function abandon(exchange: Pick<Upstream, 'continue'>, call: Call, outcome: Outcome): Promise<void> {
  if (outcome.kind !== 'input-required' || outcome.over === undefined) return
  await exchange.continue({ ...call, signal: AbortSignal.abort() }, outcome.state, {})
}

function unknownTarget(call: Call): Failed {
  if (['tools/call', 'prompts/get', 'resources/read', 'completion/complete'].includes(call.method)) {
    return failed(errorCodes.invalidParams, outcomeText.unknownTarget)
  }
  return failed(errorCodes.methodNotFound, outcomeText.notSupported(call.method))
}

/** The failure for a call that began and of which nothing more is sent. */
function unsentTo(call: Call): Failed {
  return { ...unknownTarget(call), isUnsent: true }
}
