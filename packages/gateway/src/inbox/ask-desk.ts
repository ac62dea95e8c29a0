// What one person can do with asks, wherever they sit: list them, read one, answer one.
//
// The web inbox and the terminal both go through here, so there is one set of rules. An ask exists for those who may
// decide it and for nobody else. It knows nothing of HTTP or terminals; what cannot be done comes back as a problem in
// words, in the shape that the inbox's API has.

import {
  type AnsweredView,
  type AnswerWarning,
  type Ask,
  type AskPageView,
  answerWarnings,
  askView,
  endingInWords,
  type InboxProblem,
  type InboxProblemCode,
  isId,
  isPlainObject,
  mayDecide,
  type Naming,
  type OneAskView,
  oneLine,
  type Person,
  type SealedSecret,
  type Surface,
  screenUrl,
  secretLimits,
} from '@assent/core'
import type { Answered, InboxQuery, Store } from '@assent/store'

export interface AskDeskOptions {
  readonly store: Store
  readonly tenant: string
  readonly naming: Naming
  /** Told before asks are drawn, so that `naming` can know whom they name. */
  readonly learn?: (asks: readonly Ask[]) => Promise<void>
  readonly now: () => number
  /** Where the person sits, for the record and for whoever looks at it afterwards. */
  readonly via: Exclude<Surface, 'client'>
}

export interface GivenAnswer {
  readonly decisionId: unknown
  readonly answer: unknown
  /** The person was told that something in the answer looks like a secret, and sends it all the same. */
  readonly confirmed?: unknown
}

export type Told<View> =
  | { readonly ok: true; readonly view: View }
  | { readonly ok: false; readonly problem: InboxProblem }

/** What came of looking an ask up: the same for one that is not there and for one that is not this person's. */
export const nothingHere: InboxProblem = { code: 'not-found', message: 'There is nothing here for you.' }

const decisionIdPattern = /^[\w-]{16,64}$/

export class AskDesk {
  readonly #options: AskDeskOptions

  constructor(options: AskDeskOptions) {
    this.#options = options
  }

  async page(person: Person, query: Omit<InboxQuery, 'tenant' | 'person'>): Promise<AskPageView> {
    const { store, tenant, now } = this.#options
    const { asks, next } = await store.inbox.page({ tenant, person, ...query })
    await this.#options.learn?.(asks)
    return {
      asks: asks.map((ask) => this.#view(ask, person)),
      ...(next === undefined ? {} : { next }),
      nowMs: now(),
    }
  }

  async read(person: Person, id: string): Promise<Told<OneAskView>> {
    const ask = await this.find(person, id)
    if (ask === undefined) return refused(nothingHere)
    await this.#options.learn?.([ask])
    return { ok: true, view: this.one(ask, person) }
  }

  /** The ask itself, if this person may know of it. */
  async find(person: Person, id: string): Promise<Ask | undefined> {
    if (!isId(id, 'ask')) return undefined
    const ask = await this.#options.store.asks.read(this.#options.tenant, id)
    return ask !== undefined && mayDecide(ask.electorate, person) ? ask : undefined
  }

  one(ask: Ask, person: Person): OneAskView {
    return { ask: this.#view(ask, person), nowMs: this.#options.now() }
  }

  /** The id of the decision makes sending it twice the same as sending it once. */
  async answer(person: Person, ask: Ask, { decisionId, answer, confirmed }: GivenAnswer): Promise<Told<AnsweredView>> {
    if (typeof decisionId !== 'string' || !decisionIdPattern.test(decisionId)) {
      return no('malformed', 'An answer carries a decision id of 16 to 64 letters and digits.')
    }
    if (isAccept(answer) && !mayFollow(ask)) {
      return no('refused', 'The link cannot be opened safely, so there is nothing to approve. Decline or dismiss it.')
    }
    const warnings = confirmed === true || ask.state.kind !== 'open' ? [] : answerWarnings(ask.question, answer)
    if (warnings.length > 0) return no('looks-secret', secretWarning(warnings))
    const { store, tenant, via } = this.#options
    const answered = await store.asks.answer({ tenant, id: ask.id, person, via, answer, decisionId, ask })
    if ('ask' in answered) await this.#options.learn?.([answered.ask])
    return this.#tell(answered, person)
  }

  /** The one yes to an ask for a secret: what is handed over is encrypted, and nothing here can read it. */
  async handOver(
    person: Person,
    ask: Ask,
    page: string,
    { decisionId, sealed }: { readonly decisionId: unknown; readonly sealed: unknown },
  ): Promise<Told<AnsweredView>> {
    if (typeof decisionId !== 'string' || !decisionIdPattern.test(decisionId) || !isSealed(sealed)) {
      return no('malformed', 'What is handed over is encrypted, in the form that our pages send.')
    }
    const { store, tenant } = this.#options
    const kept = JSON.stringify({ enc: sealed.enc, ct: sealed.ct })
    return this.#tell(
      await store.secrets.handOver({ tenant, id: ask.id, page, person, decisionId, sealed: kept }),
      person,
    )
  }

  #tell(answered: Answered, person: Person): Told<AnsweredView> {
    switch (answered.kind) {
      case 'settled':
      case 'counted':
        return { ok: true, view: { ...this.one(answered.ask, person), result: answered.kind } }
      case 'ended': {
        const { ask, nowMs } = this.one(answered.ask, person)
        const what = endingInWords(ask, nowMs) ?? ''
        return no('ended', `Your answer came too late and changed nothing. ${what}`, { ask, nowMs })
      }
      case 'invalid':
        return no('invalid', 'Something is missing or does not fit. The ask is still open.', {
          issues: answered.issues,
        })
      case 'malformed':
        return no('malformed', answered.message)
      case 'looks-secret':
        return no('looks-secret', secretWarning(answered.warnings))
      case 'not-found':
        return refused(nothingHere)
      default:
        return no(...explanations[answered.kind])
    }
  }

  nameOf(principal: string): string {
    return this.#options.naming.nameOf(principal)
  }

  describe(asker: Ask['asker']): ReturnType<Naming['describe']> {
    return this.#options.naming.describe(asker)
  }

  #view(ask: Ask, person: Person) {
    return askView(ask, person, this.#options.naming)
  }
}

function refused(problem: InboxProblem): { readonly ok: false; readonly problem: InboxProblem } {
  return { ok: false, problem }
}

function no(code: InboxProblemCode, message: string, more: Omit<InboxProblem, 'code' | 'message'> = {}) {
  return refused({ code, message, ...more })
}

const explanations: Readonly<
  Record<'already-voted' | 'no-cancel' | 'conflict' | 'state-used', [InboxProblemCode, string]>
> = {
  'already-voted': ['already-voted', 'You have answered this already, and your first answer stands.'],
  'no-cancel': ['no-cancel', 'Several people decide this together: approve it, decline it, or leave it to the others.'],
  conflict: ['conflict', 'This decision was sent before with another answer, and that one stands.'],
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
