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
export const nothingHere: InboxProblem = { code: 'not-found', message: 'Not found, or you do not have access.' }

const addOne =
  'Accepting this needs a passkey, and you have none. Add one on the page Passkeys (/passkeys) of the inbox.'
const signInAgain =
  'You decide this as a member of a group, and your groups were confirmed more than 15 minutes ago. Sign out, sign in again, then decide.'
const invalidValue = 'A value is missing or invalid. The ask is still open.'
const staleChallenge = 'The request for your passkey has expired. Try again.'

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
    const { asks, next } = await store.inbox.page({ tenant, person, ...query })
    for (const ask of asks) if (ask.state.kind === 'open') this.#listed.set(ask.id, ask)
    await this.#options.learn?.(asks)
    return {
      asks: asks.map((ask) => this.#view(ask, person)),
      ...compact({ next }),
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
  async answer(
    person: Person,
    ask: Ask,
    { decisionId, answer, confirmed, presence, staleGroups = [] }: GivenAnswer,
  ): Promise<AskServiceResult<AnsweredView>> {
    if (typeof decisionId !== 'string' || !decisionIdPattern.test(decisionId)) {
      return fail('malformed', 'An answer needs a decision id of 16 to 64 letters, digits, hyphens and underscores.')
    }
    if (ask.state.kind === 'open' && !mayDecide(ask.approvalRule, person)) {
      if (mayDecide(ask.approvalRule, { ...person, groups: staleGroups })) return fail('refused', signInAgain)
      const needs = approvalNeeds(ask.approvalRule, (principal) => this.nameOf(principal))
      return fail('refused', `You cannot decide this. It needs ${oneLine(needs, 'web')}.`)
    }
    if (isAccept(answer) && !mayFollow(ask)) {
      return fail('refused', 'The link cannot be opened safely, so there is nothing to approve. Decline or dismiss it.')
    }
    const warnings = confirmed === true || ask.state.kind !== 'open' ? [] : answerWarnings(ask.question, answer)
    if (warnings.length > 0) return fail('looks-secret', secretWarning(warnings))
    const proven = this.#presenceOf(person, ask, presence)
    if (proven === undefined) return fail('presence', staleChallenge)
    const { store, tenant, via } = this.#options
    const answered = await store.asks.answer({ tenant, id: ask.id, person, via, answer, decisionId, ask, ...proven })
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
      return fail('malformed', 'The secret must be encrypted in the format that our pages send.')
    }
    const proven = this.#presenceOf(person, ask, presence)
    if (proven === undefined) return fail('presence', staleChallenge)
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
    { answer, confirmed }: Pick<GivenAnswer, 'answer' | 'confirmed'>,
  ): Promise<AskServiceResult<PresenceStartView>> {
    // Before the person is asked for their passkey, not after.
    const warnings = confirmed === true ? [] : answerWarnings(ask.question, answer)
    if (warnings.length > 0) return fail('looks-secret', secretWarning(warnings))
    const started = await this.#options.presence?.start(person, ask, answer)
    if (started === undefined) return refused(nothingHere)
    if (!started.ok)
      return started.reason === 'invalid'
        ? fail('invalid', invalidValue, { issues: started.issues })
        : fail('malformed', started.message)
    return started.view.request.allowCredentials.length === 0 ? fail('presence', addOne) : started
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
    if (problem !== 'required')
      return fail('presence', `The passkey was not accepted: ${problem.why}. The ask is still open.`)
    if (presence === undefined) {
      const link = linkOf?.(id)
      const where = link === undefined ? 'the web inbox' : `the web inbox: ${link}`
      return fail('presence', `Accepting this needs your passkey. Open it in ${where}`)
    }
    const keys = await store.passkeys.list({ tenant, principal })
    return fail('presence', keys.length === 0 ? addOne : 'Accepting this needs your passkey.')
  }

  #resultOf(answered: Exclude<AnswerResult, { kind: 'presence' }>, person: Person): AskServiceResult<AnsweredView> {
    switch (answered.kind) {
      case 'settled':
      case 'counted':
        return { ok: true, view: { ...this.one(answered.ask, person), result: answered.kind } }
      case 'ended': {
        const { ask, nowMs } = this.one(answered.ask, person)
        const ending = endingText(ask, nowMs) ?? ''
        return fail('ended', `Your answer came too late and changed nothing. ${ending}`, { ask, nowMs })
      }
      case 'invalid':
        return fail('invalid', invalidValue, {
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
  'already-voted': ['already-voted', 'You have already answered this. Your first answer counts.'],
  'no-cancel': ['no-cancel', 'Several people decide this together: approve it, decline it, or leave it to the others.'],
  conflict: ['conflict', 'This decision id was already used with another answer. That answer counts.'],
  'state-used': ['conflict', 'This answer was used before.'],
}

function secretWarning(warnings: readonly AnswerWarning[]): string {
  const found = warnings.map(({ message }) => oneLine(message, 'web')).join(' ')
  return `${found} What you send reaches the server or the audit log. Nothing was sent: remove it, or confirm.`
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
