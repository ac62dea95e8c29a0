// What a person can do with asks on any surface: list them, read one, answer one.
//
// The web inbox and the terminal both use this class, so there is one set of rules. An ask is visible only to people
// who may decide it, and to the person whose call waits for it. The class does not depend on HTTP or a terminal; failures are returned as an `InboxProblem`, the
// shape that the inbox API returns.

import {
  type AnsweredView,
  type AnswerWarning,
  type Ask,
  type AskPageView,
  answerWarnings,
  approvalNeeds,
  askView,
  compact,
  type DisplayNames,
  endingText,
  type InboxProblem,
  type InboxProblemCode,
  isId,
  isPlainObject,
  mayDecide,
  maySee,
  type OneAskView,
  oneLine,
  type Person,
  type PresenceStartView,
  requiresPresence,
  type SealedSecret,
  type Surface,
  screenUrl,
  secretLimits,
} from '@assent/core'
import type { AnswerResult, InboxQuery, Store } from '@assent/store'
import { FreshMap } from './fresh-map.ts'
import { inboxLimits } from './limits.ts'
import type { PresenceService } from './passkeys/presence-service.ts'
import { answerRefusals as text } from './text/answering.ts'

export interface AskServiceOptions {
  readonly store: Store
  readonly tenant: string
  readonly naming: DisplayNames
  /** Called before asks are rendered, so that `naming` can look up the people they name. */
  readonly learn?: (asks: readonly Ask[]) => Promise<void>
  readonly now: () => number
  /** The surface that the person uses; recorded with the answer. */
  readonly via: Exclude<Surface, 'client'>
  /** Asks for passkeys; only a page of the inbox can. */
  readonly presence?: PresenceService
  /** The address of an ask in the web inbox, for a surface that cannot accept it. */
  readonly linkOf?: (id: string) => string | undefined
}

export interface GivenAnswer {
  readonly decisionId: unknown
  readonly answer: unknown
  /** The person was warned that the answer looks like a secret and confirmed sending it. */
  readonly confirmed?: unknown
  /** The signature of the person's passkey over this answer. */
  readonly presence?: unknown
  /** Groups of the person that were confirmed too long ago to count. */
  readonly staleGroups?: readonly string[]
}

export type AskServiceResult<View> =
  | { readonly ok: true; readonly view: View }
  | { readonly ok: false; readonly problem: InboxProblem }

/** The same for a missing ask and for one that this person may not see. */
export const nothingHere: InboxProblem = { code: 'not-found', message: text.nothingHere }

interface GivenSecret {
  readonly decisionId: unknown
  readonly sealed: unknown
  readonly presence?: unknown
}

const decisionIdPattern = /^[\w-]{16,64}$/

export class AskService {
  readonly #options: AskServiceOptions
  readonly #listed = new FreshMap<Ask>(inboxLimits.listedMs, inboxLimits.listedAsks)

  constructor(options: AskServiceOptions) {
    this.#options = options
  }

  async page(person: Person, query: Omit<InboxQuery, 'tenant' | 'person'>): Promise<AskPageView> {
    const { store, tenant, now } = this.#options
    const { asks, next, searchedToMs } = await store.inbox.page({ tenant, person, ...query })
    for (const ask of asks) if (ask.state.kind === 'open') this.#listed.set(ask.id, ask)
    await this.#options.learn?.(asks)
    return {
      asks: asks.map((ask) => this.#view(ask, person)),
      ...compact({ next, searchedToMs }),
      nowMs: now(),
    }
  }

  async read(person: Person, id: string): Promise<AskServiceResult<OneAskView>> {
    const ask = await this.find(person, id)
    if (ask === undefined) return refused(nothingHere)
    await this.#options.learn?.([ask])
    return { ok: true, view: this.one(ask, person) }
  }

  /** The ask, if this person may see it. */
  async find(person: Person, id: string): Promise<Ask | undefined> {
    if (!isId(id, 'ask')) return undefined
    const ask = await this.#options.store.asks.read(this.#options.tenant, id)
    return ask !== undefined && maySee(ask, person) ? ask : undefined
  }

  /**
   * The ask as it was listed a moment ago, if this person may see it. Its question and approval rule cannot change; it may
   * have ended since, so only a successful answer may rely on it.
   */
  findListed(person: Person, id: string): Ask | undefined {
    const ask = this.#listed.get(id)
    return ask !== undefined && maySee(ask, person) ? ask : undefined
  }

  one(ask: Ask, person: Person): OneAskView {
    return { ask: this.#view(ask, person), nowMs: this.#options.now() }
  }

  /** Idempotent by decision id. */
  async answer(person: Person, ask: Ask, given: GivenAnswer): Promise<AskServiceResult<AnsweredView>> {
    const { decisionId, answer, presence, staleGroups = [] } = given
    if (typeof decisionId !== 'string' || !decisionIdPattern.test(decisionId)) {
      return fail('malformed', text.decisionId)
    }
    const refusal = this.#refusalOf(person, ask, given)
    if (refusal !== undefined) return refusal
    const proven = this.#presenceOf(person, ask, presence)
    if (proven === undefined) return fail('presence', text.passkey.stale)
    const { store, tenant, via } = this.#options
    const request = { tenant, id: ask.id, person, staleGroups, via, answer, decisionId, ask, ...proven }
    const answered = await store.asks.answer(request)
    if (answered.kind === 'presence') return this.#unproven(answered, person, ask)
    if ('ask' in answered) await this.#options.learn?.([answered.ask])
    return this.#resultOf(answered, person)
  }

  /** Accepts an ask for a secret. The secret is encrypted for the server; the gateway cannot decrypt it. */
  async handOver(
    person: Person,
    ask: Ask,
    page: string,
    { decisionId, sealed, presence }: GivenSecret,
  ): Promise<AskServiceResult<AnsweredView>> {
    if (typeof decisionId !== 'string' || !decisionIdPattern.test(decisionId) || !isSealed(sealed)) {
      return fail('malformed', text.notEncrypted)
    }
    const proven = this.#presenceOf(person, ask, presence)
    if (proven === undefined) return fail('presence', text.passkey.stale)
    const { store, tenant } = this.#options
    const request = { tenant, id: ask.id, page, person, decisionId, ...proven }
    const sealedJson = JSON.stringify({ enc: sealed.enc, ct: sealed.ct })
    const answered = await store.secrets.handOver({ ...request, sealed: sealedJson })
    return answered.kind === 'presence' ? this.#unproven(answered, person, ask) : this.#resultOf(answered, person)
  }

  /** The challenge that the person's passkey signs to accept this ask with exactly this answer. */
  async startPresence(
    person: Person,
    ask: Ask,
    given: Omit<GivenAnswer, 'decisionId' | 'presence'>,
  ): Promise<AskServiceResult<PresenceStartView>> {
    // Before the person is asked for their passkey, not after.
    const refusal = this.#refusalOf(person, ask, given)
    if (refusal !== undefined) return refusal
    const started = await this.#options.presence?.start(person, ask, given.answer)
    if (started === undefined) return refused(nothingHere)
    if (!started.ok)
      return started.reason === 'invalid'
        ? fail('invalid', text.invalidValue, { issues: started.issues })
        : fail('malformed', started.message)
    return started.view.request.allowCredentials.length === 0 ? fail('presence', text.passkey.addOne) : started
  }

  /** Why this answer is refused without reading the store; undefined if nothing speaks against it. */
  #refusalOf(
    person: Person,
    ask: Ask,
    { answer, confirmed, staleGroups = [] }: Omit<GivenAnswer, 'decisionId' | 'presence'>,
  ) {
    if (ask.state.kind === 'open' && !mayDecide(ask.approvalRule, person)) {
      if (mayDecide(ask.approvalRule, { ...person, groups: staleGroups })) return fail('refused', text.signInAgain)
      const nameOf = (principal: string) => (principal === person.principal ? text.you : this.nameOf(principal))
      const needs = approvalNeeds(ask.approvalRule, nameOf)
      return fail('refused', text.needsOthers(oneLine(needs, 'web')))
    }
    if (isAccept(answer) && !mayFollow(ask)) return fail('refused', text.unsafeLink)
    const warnings = confirmed === true || ask.state.kind !== 'open' ? [] : answerWarnings(ask.question, answer)
    return warnings.length > 0 ? fail('looks-secret', secretWarning(warnings)) : undefined
  }

  /** Whether a passkey is required, and the given signature. Undefined for one that is not for a challenge of ours. */
  #presenceOf(person: Person, ask: Ask, given: unknown) {
    const needsPresence = requiresPresence(ask, this.#options.naming.presence?.())
    if (given === undefined) return { needsPresence }
    const read = this.#options.presence?.read(person, ask, given)
    return read === undefined ? undefined : { needsPresence, ...read }
  }

  async #unproven({ problem }: AnswerResult & { kind: 'presence' }, { principal }: Person, { id }: Ask) {
    const { presence, store, tenant, linkOf } = this.#options
    if (problem !== 'required') return fail('presence', text.passkey.notAccepted(problem.why))
    if (presence === undefined) return fail('presence', text.passkey.inInbox(linkOf?.(id)))
    const keys = await store.passkeys.list({ tenant, principal })
    return fail('presence', keys.length === 0 ? text.passkey.addOne : text.passkey.needed)
  }

  #resultOf(answered: Exclude<AnswerResult, { kind: 'presence' }>, person: Person): AskServiceResult<AnsweredView> {
    switch (answered.kind) {
      case 'settled':
      case 'counted':
        return { ok: true, view: { ...this.one(answered.ask, person), result: answered.kind } }
      case 'ended': {
        const { ask, nowMs } = this.one(answered.ask, person)
        const ending = endingText(ask, nowMs) ?? ''
        return fail('ended', text.tooLate(ending), { ask, nowMs })
      }
      case 'invalid':
        return fail('invalid', text.invalidValue, {
          issues: answered.issues,
        })
      case 'malformed':
        return fail('malformed', answered.message)
      case 'looks-secret':
        return fail('looks-secret', secretWarning(answered.warnings))
      case 'not-found':
        return refused(nothingHere)
      default:
        return fail(...explanations[answered.kind])
    }
  }

  nameOf(principal: string): string {
    return this.#options.naming.nameOf(principal)
  }

  describe(asker: Ask['asker']): ReturnType<DisplayNames['describe']> {
    return this.#options.naming.describe(asker)
  }

  #view(ask: Ask, person: Person) {
    return askView(ask, person, this.#options.naming)
  }
}

function refused(problem: InboxProblem): { readonly ok: false; readonly problem: InboxProblem } {
  return { ok: false, problem }
}

function fail(code: InboxProblemCode, message: string, more: Omit<InboxProblem, 'code' | 'message'> = {}) {
  return refused({ code, message, ...more })
}

const explanations: Readonly<
  Record<'already-voted' | 'no-cancel' | 'conflict' | 'state-used', [InboxProblemCode, string]>
> = {
  'already-voted': ['already-voted', text.alreadyVoted],
  'no-cancel': ['no-cancel', text.noCancel],
  conflict: ['conflict', text.otherAnswer],
  'state-used': ['conflict', text.usedBefore],
}

function secretWarning(warnings: readonly AnswerWarning[]): string {
  const found = warnings.map(({ message }) => oneLine(message, 'web')).join(' ')
  return text.looksSecret(found)
}

function isSealed(sealed: unknown): sealed is SealedSecret {
  if (!isPlainObject(sealed)) return false
  const { enc, ct } = sealed
  if (typeof enc !== 'string' || typeof ct !== 'string' || enc.length + ct.length > secretLimits.sealedChars)
    return false
  return /^[\w-]+$/.test(enc) && /^[\w-]+$/.test(ct)
}

function isAccept(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'action' in answer && answer.action === 'accept'
}

function mayFollow({ question }: Ask): boolean {
  return question.kind !== 'url' || screenUrl(question.url).ok
}
