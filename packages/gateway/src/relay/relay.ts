// Between the clients and the servers: finds the server a call is for, judges what it asks, and keeps the record.
//
// It knows no revision. A call that needs people comes back with everything `continue` will need in `resume`, so nothing
// about it has to be remembered here.

import { isPlainObject, type JsonObject, type JsonValue, type TooManyOpen } from '@assent/core'
import { relayLimits } from '../limits.ts'
import { errorCodes, type Notification, objectAt } from '../wire/messages.ts'
import type { Asking, OpenRound } from './asking.ts'
import type { AuditTrail } from './audit-trail.ts'
import { canBeAsked } from './capabilities.ts'
import {
  bareReason,
  type Call,
  type Description,
  failed,
  type Given,
  heldId,
  NotSent,
  type Outcome,
  type QuestionRefusal,
  type Upstream,
  unsent,
  unusable,
  type Wanted,
} from './exchange.ts'
import type { LinkJudge } from './judge-links.ts'
import {
  isNoAnswer,
  isSecretAnswer,
  judgeGiven,
  nameGiven,
  type Rejection,
  refusals,
  secretRefusal,
} from './judge-wanted.ts'
import { listOf, namedIn } from './names.ts'
import { Naming, type Target } from './naming.ts'
import { errorTo, notificationTo, resultTo, type UriForClients } from './outgoing-uris.ts'

export interface Resume {
  readonly server: string
  readonly inner: JsonValue
  /** The schema of each form that was put, to judge the answers by. */
  readonly schemas: JsonObject
  /** Which questions these are among the open ones; none when no person was asked. */
  readonly round?: OpenRound
  /** Whether names are prefixed for the caller. The server may have had company, or none, when the call began. */
  readonly isPrefixed: boolean
  /** The server's own name for what was called, if it is not the caller's: a reload may change the names for clients. */
  readonly target?: string
}

/** What the servers say of themselves, and why others cannot be used now. */
export interface Descriptions {
  readonly available: readonly Description[]
  readonly unavailable: readonly { readonly server: string; readonly reason: string }[]
}

/** Opens a server on first use, once, whoever comes first. */
export type FindUpstream = (name: string, call: Call) => Promise<Upstream>

export type OnRefused = (call: Call, server: string, why: QuestionRefusal) => void

export class Relay {
  readonly #names: readonly string[]
  readonly #find: FindUpstream
  readonly #trail: AuditTrail
  readonly asking: Asking
  readonly #links: LinkJudge | undefined
  readonly #onRefused: OnRefused
  readonly #naming: Naming

  /**
   * @param names are read at each call: a reload changes them
   * @param onRefused is called for each round with a question that no person will see
   * @param naming of the same servers, changed by the same reloads
   */
  constructor(
    names: readonly string[],
    find: FindUpstream,
    trail: AuditTrail,
    asking: Asking,
    links: LinkJudge | undefined = undefined,
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

  /** How many servers stand behind it. */
  get size(): number {
    return this.#names.length
  }

  async start(call: Call): Promise<Outcome> {
    const isPrefixed = this.#names.length !== 1
    if (isPrefixed && listOf(call.method) !== undefined) return this.#list(call)
    if (isPrefixed && call.method === 'logging/setLevel') return this.#setLevels(call)
    const target = await this.#target(call)
    if ('kind' in target) return target
    const outcome = await this.#run(target, { ...call, params: target.params }, isPrefixed)
    return outcome.kind === 'finished' ? this.#listed(target.server, call.method, outcome) : outcome
  }

  /** What a call is for, or why it is for nothing. A short name that is not known is looked up in its server's list. */
  async #target(call: Call): Promise<Target | Outcome> {
    const { method, params } = call
    const found = this.#naming.find(method, params)
    if (found === undefined) return unknownTarget(call)
    if ('params' in found) return found
    const listing = await this.#whole(found.server, { ...call, method: 'tools/list', params: {} }, 'tools')
    if (listing.failure !== undefined) return listing.failure
    this.#naming.listed(found.server, 'tools/list', listing.items)
    const again = this.#naming.find(method, params)
    return again !== undefined && 'params' in again ? again : unknownTarget(call)
  }

  async continue(asked: Call, resume: Resume, given: Readonly<Record<string, Given>>): Promise<Outcome> {
    const { server, inner, schemas, round, isPrefixed } = resume
    const call = this.#asBegun(asked, resume)
    const judged = Object.fromEntries(
      Object.entries(given).flatMap(([key, answer]) => {
        // An answer to what was not asked is none.
        if (!Object.hasOwn(schemas, key)) return []
        const schema = schemas[key]
        if (schema === false) return [[key, answer]]
        const refused = this.asking.allowsSecrets(server) ? undefined : secretRefusal(schema, answer)
        return [[key, refused ?? judgeGiven(schema === true ? undefined : schema, answer)]]
      }),
    )
    if (Object.values(judged).some(isSecretAnswer)) this.#onRefused(call, server, 'secret-answer')
    if (Object.values(judged).some(isUnfit)) this.#onRefused(call, server, 'invalid-answer')
    const put = Object.entries(judged).filter(([key]) => schemas[key] !== false)
    const names = put.map(([key, answer]) => nameGiven(schemas[key], answer))
    this.#trail.answered(call, server, judged, Object.fromEntries(put.map(([key], at) => [key, names[at]])))
    this.asking.ended(
      server,
      round,
      put.map(([, answer]) => answer),
      names,
    )
    // What is continued by a new request must still be allowed; a call that is held has begun.
    if (heldId(inner) === undefined && !this.#isOffered(server, call)) return unsentTo(call)
    const seen = this.#seenBy(server, call, isPrefixed)
    try {
      const upstream = await this.#find(server, call)
      const first = await upstream.continue(seen, inner, judged)
      const outcome = await this.#judge(upstream, seen, first, resume)
      const { undelivered = [] } = first
      if (undelivered.length === 0) return outcome
      this.#trail.undelivered(
        call,
        server,
        undelivered.filter((key) => !isNoAnswer(judged[key])),
      )
      return { ...outcome, undelivered }
    } catch (error) {
      return away(server, error)
    }
  }

  /** The call in the names of its server. */
  #asBegun(call: Call, { isPrefixed, target }: Resume): Call {
    if (target !== undefined) return calledBy(call, target)
    if (!isPrefixed) return call
    const found = this.#naming.find(call.method, call.params)
    return { ...call, params: found !== undefined && 'params' in found ? found.params : {} }
  }

  #isOffered(server: string, { method, params }: Call): boolean {
    const named = namedIn(method, params)
    return named === undefined || this.#naming.offers(server, named.kind, named.name)
  }

  /** There is no room for what a server asked. One that waits for the answers hears so and goes on; otherwise the call ends. */
  async refuse(asked: Call, resume: Resume, { full, message }: TooManyOpen): Promise<Outcome> {
    const call = this.#asBegun(asked, resume)
    const given: Given = { error: { code: errorCodes.refused, message } }
    const { server, round, schemas } = resume
    this.#onRefused(call, server, `too-many-open-${full}`)
    const all = Object.fromEntries(Object.keys(schemas).map((key) => [key, given]))
    if (heldId(resume.inner) !== undefined) return this.continue(asked, resume, all)
    this.#trail.answered(call, server, all)
    this.asking.ended(
      server,
      round,
      Object.values(schemas).flatMap((schema) => (schema === false ? [] : [given])),
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

  /** Passes on what changes at any server until the caller has had enough. */
  async listen(call: Call): Promise<void> {
    const isAlone = this.#names.length === 1
    await Promise.allSettled(
      this.#names.map(async (name) => {
        const seen = this.asking.seenBy(call, name)
        const params = this.#naming.watchedAt(name, call.params)
        const own = isAlone ? seen : { ...seen, ...this.#toldBy(name, call), params }
        await (await this.#find(name, call)).listen(own)
      }),
    )
  }

  /** Passes on to all servers what a client says outside any request. */
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

  async #run(target: Pick<Target, 'server' | 'name'>, asked: Call, isPrefixed: boolean): Promise<Outcome> {
    const { server, name } = target
    const call = this.#seenBy(server, asked, isPrefixed)
    try {
      const upstream = await this.#find(server, call)
      const began = name === undefined ? { isPrefixed } : { isPrefixed, target: name }
      return this.#judge(upstream, call, await upstream.start(call), began)
    } catch (error) {
      return away(server, error)
    }
  }

  /** The call as the server's adapter sees it. */
  #seenBy(server: string, call: Call, isPrefixed: boolean): Call {
    const told = isPrefixed ? this.#toldBy(server, call) : {}
    return { ...this.asking.seenBy(call, server), ...told, onRefused: (why) => this.#onRefused(call, server, why) }
  }

  /** What a server says on the way, in the names that the client knows. */
  #toldBy(server: string, { notify }: Call): Pick<Call, 'notify'> {
    return { notify: (notification) => notify(notificationTo(this.#uriOf(server), notification)) }
  }

  #uriOf(server: string): UriForClients {
    return (uri) => this.#naming.nameFor(server, 'resource', uri)
  }

  /** A page of the only server's list, in the names for clients. */
  #listed(server: string, method: string, outcome: Outcome & { kind: 'finished' }): Outcome {
    const name = listOf(method)
    const items = name === undefined ? undefined : outcome.result[name]
    if (name === undefined || !Array.isArray(items)) return outcome
    return { ...outcome, result: { ...outcome.result, [name]: this.#naming.listed(server, method, items) } }
  }

  /** Lets through what may be asked. A server that waits is told what may not; one that does not has its call refused. */
  async #judge(
    upstream: Upstream,
    call: Call,
    first: Outcome,
    { isPrefixed, target }: Pick<Resume, 'isPrefixed' | 'target'>,
  ): Promise<Outcome> {
    let outcome = first
    for (let round = 0; round < relayLimits.roundsPerCall; round++) {
      if (outcome.kind === 'finished' && isPrefixed)
        return { ...outcome, result: resultTo(this.#uriOf(upstream.name), call.method, outcome.result) }
      if (outcome.kind === 'failed' && isPrefixed)
        return { ...outcome, error: errorTo(this.#uriOf(upstream.name), call.method, outcome.error) }
      if (outcome.kind !== 'needs-people') return outcome
      const { resume } = outcome
      const { wanted, refused } = await this.#refusals(call, upstream.name, outcome.wanted)
      const [unfit] = refused
      const opened = unfit === undefined ? this.asking.open(call, upstream.name, wanted, outcome.over) : undefined
      if (opened?.ok === true) {
        // The client adapter refuses it with the error of its revision.
        if (
          outcome.over === undefined &&
          !Object.values(wanted).every(({ kind }) => canBeAsked(call.client.capabilities, kind))
        )
          this.#onRefused(call, upstream.name, 'unsupported')
        this.#trail.asked(call, upstream.name, wanted)
        const { round } = opened
        const begun = { server: upstream.name, inner: resume, schemas: schemasOf(wanted), isPrefixed }
        const put = target === undefined ? begun : { ...begun, target }
        return { ...outcome, wanted, resume: round === undefined ? put : { ...put, round } }
      }
      this.#onRefused(call, upstream.name, opened?.why ?? unfit?.[1].why ?? 'schema')
      const code = opened?.code ?? errorCodes.invalidParams
      if (outcome.over === undefined) {
        const reason = opened?.reason ?? `${upstream.name} asked what may not be asked. ${unfit?.[1].message}`
        return failed(code, reason)
      }
      const all =
        opened === undefined
          ? refused.map(([key, { message }]) => [key, message] as const)
          : Object.keys(wanted).map((key) => [key, opened.reason] as const)
      const errors = all.map(([key, message]) => [key, { error: { code, message } }])
      outcome = await upstream.continue(call, resume, Object.fromEntries(errors))
    }
    await giveUp(upstream, call, outcome)
    return failed(errorCodes.refused, `${upstream.name} went on asking what may not be asked.`)
  }

  /** What may not be asked, in words; and the questions, with what is known of links that lead to us. */
  async #refusals(
    call: Call,
    server: string,
    asked: Readonly<Record<string, Wanted>>,
  ): Promise<{ wanted: Readonly<Record<string, Wanted>>; refused: readonly (readonly [string, Rejection])[] }> {
    const refused = Object.entries(refusals(asked))
    if (this.#links === undefined || refused.length > 0) return { wanted: asked, refused }
    const judged = await this.#links.judge(call, server, asked)
    const links = Object.entries(judged.refused).map(([key, message]) => [key, { why: 'link', message }] as const)
    return { wanted: judged.wanted, refused: links }
  }

  /** One level for all servers that log. It is an error only if none of them takes it. */
  async #setLevels(call: Call): Promise<Outcome> {
    const outcomes = await Promise.all(this.#names.map((server) => this.#run({ server }, call, true)))
    return outcomes.find(({ kind }) => kind === 'finished') ?? outcomes[0] ?? unknownTarget(call)
  }

  /** All servers' lists as one, in the order of the configuration. A server that fails hides nobody else. */
  async #list(call: Call): Promise<Outcome> {
    const name = listOf(call.method) ?? ''
    const pages = await Promise.all(this.#names.map((server) => this.#whole(server, call, name)))
    const items = pages.flatMap((page, index) => this.#naming.listed(this.#names[index] ?? '', call.method, page.items))
    return { kind: 'finished', result: { [name]: items, resultType: 'complete', ttlMs: 0, cacheScope: 'private' } }
  }

  /** All pages of a server's list, or those before it failed. */
  async #whole(server: string, call: Call, name: string): Promise<{ items: JsonValue[]; failure?: Outcome }> {
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

/** `true` marks a question without a form whose answer is judged all the same, `false` one whose answer is not ours. */
function schemasOf(wanted: Readonly<Record<string, Wanted>>): JsonObject {
  return Object.fromEntries(
    Object.entries(wanted).map(([key, one]) => [key, one.kind === 'form' ? one.schema : one.kind === 'url']),
  )
}

export function readResume(value: JsonValue): Resume | undefined {
  if (!isPlainObject(value) || typeof value.server !== 'string') return undefined
  const schemas = objectAt(value as JsonObject, 'schemas')
  if (schemas === undefined) return undefined
  const { server, isPrefixed, round, target } = value
  const begun = { server, inner: (value.inner ?? null) as JsonValue, schemas, isPrefixed: isPrefixed === true }
  const resume = typeof target === 'string' ? { ...begun, target } : begun
  const { id, atMs } = isPlainObject(round) ? round : {}
  return typeof id === 'string' && typeof atMs === 'number' ? { ...resume, round: { id, atMs } } : resume
}

function isUnfit(given: Given): boolean {
  return 'result' in given && given.isUnfit === true
}

/** Lets go of a call that is held for nothing, as if its caller had gone. */
async function giveUp(exchange: Pick<Upstream, 'continue'>, call: Call, outcome: Outcome): Promise<void> {
  if (outcome.kind !== 'needs-people') return
  await exchange.continue({ ...call, signal: AbortSignal.abort() }, outcome.resume, {})
}

function unknownTarget(call: Call): Outcome {
  if (['tools/call', 'prompts/get', 'resources/read', 'completion/complete'].includes(call.method)) {
    return failed(errorCodes.invalidParams, 'No server here has anything by that name.')
  }
  return failed(errorCodes.methodNotFound, `This gateway does not know ${call.method}.`)
}

/** The same for a call that began, and of which nothing more is sent. */
function unsentTo(call: Call): Outcome {
  return { ...unknownTarget(call), isUnsent: true } as Outcome
}

/** A call with the server's own name for what it calls: the one that is shown to people and recorded. */
export function calledBy<Named extends Pick<Call, 'method' | 'params'>>(
  call: Named,
  target: string | undefined,
): Named {
  const named = target === undefined ? undefined : namedIn(call.method, call.params)
  return named === undefined || target === undefined ? call : { ...call, params: named.renamed(target) }
}

function away(server: string, error: unknown): Outcome {
  const words = unusable(server, error)
  return error instanceof NotSent ? unsent(errorCodes.refused, words) : failed(errorCodes.refused, words)
}
