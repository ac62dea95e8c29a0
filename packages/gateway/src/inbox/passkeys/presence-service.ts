// Asks a person for their passkey when they accept an ask, and reads what their browser returns.

import {
  type Ask,
  answerDigests,
  askChallenge,
  type CheckedAnswer,
  checkAnswer,
  isPlainObject,
  type Person,
  type PresenceStartView,
} from '@assent/core'
import type { PresenceResponse, Store, UsedState } from '@assent/store'
import { linearPatterns } from '../../call/screen/patterns.ts'
import type { Challenges, RelyingParty } from './challenges.ts'
import { readAssertion, requestOptions } from './webauthn.ts'

export interface PresenceServiceOptions {
  readonly store: Store
  readonly tenant: string
  readonly party: RelyingParty
  readonly challenges: Challenges
}

/** The parts of an answer that prove presence. */
export interface GivenPresence {
  readonly presence: PresenceResponse
  readonly state: UsedState
}

export type StartedPresence = { readonly ok: true; readonly view: PresenceStartView } | (CheckedAnswer & { ok: false })

export class PresenceService {
  readonly #options: PresenceServiceOptions

  constructor(options: PresenceServiceOptions) {
    this.#options = options
  }

  /** The challenge for exactly this answer, or why the answer could not be given. */
  async start(person: Person, ask: Ask, answer: unknown): Promise<StartedPresence> {
    const { store, tenant, party, challenges } = this.#options
    const given = acceptOf(ask, answer)
    if (!given.ok) return given
    const { principal } = person
    const keys = await store.passkeys.list({ tenant, principal })
    const { token, nonce } = challenges.issue({ tenant, principal, purpose: 'answer', subject: ask.id })
    const challenge = askChallenge(ask, answerDigests(given.answer), principal, nonce)
    return { ok: true, view: { token, request: requestOptions(party, challenge, keys) } }
  }

  /** Undefined if this is not a signature for a challenge of this person and this ask. */
  read({ principal }: Person, { id }: Ask, given: unknown): GivenPresence | undefined {
    if (!isPlainObject(given)) return undefined
    const { tenant, party, challenges } = this.#options
    const opened = challenges.open({ tenant, principal, purpose: 'answer', subject: id }, given.token)
    const response = readAssertion(given.response)
    if (opened === undefined || response === undefined) return undefined
    return { presence: { response, ...party, nonce: opened.nonce }, state: opened.state }
  }
}

/** A secret is sent on its own page, so its answer is only the accept. */
function acceptOf({ question }: Ask, answer: unknown): CheckedAnswer {
  if (question.kind === 'url' && question.secret !== undefined) return { ok: true, answer: { action: 'accept' } }
  return checkAnswer(question, answer, { patterns: linearPatterns })
}
