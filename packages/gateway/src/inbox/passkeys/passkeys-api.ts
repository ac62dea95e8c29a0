// Passkeys over HTTP: list, add, remove.
//
// I1  The first key of a person needs a fresh sign-in where people have accounts. Without accounts it is trusted on first use.
// I2  Every further key, and every removal, needs a signature of a key that the person has. The signature covers the new
//     key and its name, or the key that is removed.

import { randomBytes } from 'node:crypto'
import {
  isName,
  newPasskeyDigest,
  oneLine,
  type PasskeyAddStartView,
  type PasskeyAuthoriseView,
  type PasskeyRemoveStartView,
  type PasskeysView,
  type Person,
  type PresenceSetting,
  passkeyChallenge,
  presenceLimits,
} from '@assent/core'
import type { Store } from '@assent/store'
import { readJsonBody } from '../body.ts'
import { inboxLimits } from '../limits.ts'
import { notFound, problem } from '../problem.ts'
import { noticeText, passkeyRefusals as text } from '../text/passkeys.ts'
import type { Challenges, OpenedChallenge, RelyingParty } from './challenges.ts'
import {
  creationOptions,
  type RegisteredCredential,
  readAssertion,
  readRegistration,
  requestOptions,
} from './webauthn.ts'

export interface PasskeysApiOptions {
  readonly store: Store
  readonly tenant: string
  readonly party: RelyingParty
  readonly challenges: Challenges
  readonly presence: () => PresenceSetting
  /** People sign in with accounts. */
  readonly hasAccounts: boolean
}

/** The person who sends a request, and since when they are signed in. */
export interface PasskeyVisitor {
  readonly person: Person
  readonly name: string
  readonly begunAtMs: number
}

type NewKey =
  | ({
      readonly ok: true
      readonly key: RegisteredCredential & { readonly name: string }
      readonly authorisation: unknown
    } & OpenedChallenge)
  | { readonly ok: false; readonly response: Response }

export class PasskeysApi {
  readonly #options: PasskeysApiOptions

  constructor(options: PasskeysApiOptions) {
    this.#options = options
  }

  async list({ person }: PasskeyVisitor): Promise<Response> {
    const { store, presence } = this.#options
    const owner = this.#ownerOf(person)
    const nowMs = store.nowMs()
    const [keys, notices] = await Promise.all([
      store.passkeys.list(owner),
      store.passkeys.noticesSince(owner, nowMs - inboxLimits.noticeMs),
    ])
    const view: PasskeysView = {
      keys: keys.map(({ id, name, addedAtMs, lastUsedAtMs }) => ({
        id,
        name: oneLine(name, 'web'),
        addedAtMs,
        ...(lastUsedAtMs === undefined ? {} : { lastUsedAtMs }),
      })),
      presence: presence(),
      notices: notices.map((notice) => ({ text: noticeText(notice), atMs: notice.atMs })),
      nowMs,
    }
    return Response.json(view)
  }

  async startAdding(visitor: PasskeyVisitor): Promise<Response> {
    const { store, party } = this.#options
    const owner = this.#ownerOf(visitor.person)
    const keys = await store.passkeys.list(owner)
    if (keys.length >= presenceLimits.passkeys) return problem('too-many', text.tooMany(keys.length))
    if (keys.length === 0 && !this.#isFresh(visitor)) return problem('refused', text.notFresh)
    const { token, nonce } = this.#options.challenges.issue({ ...owner, purpose: 'add-passkey', subject: '' })
    const view: PasskeyAddStartView = {
      token,
      creation: await creationOptions({
        party,
        challenge: this.#challenge(visitor.person, 'create', '', nonce),
        userName: visitor.name,
        // A new one for each key: with the same one, a key of another inbox at this host would be replaced.
        userId: randomBytes(32),
        existing: keys,
      }),
      ...(keys.length === 0 ? {} : { needsAuthorisation: true }),
    }
    return Response.json(view)
  }

  async authorise({ person }: PasskeyVisitor, request: Request): Promise<Response> {
    const read = await this.#readNewKey(person, request)
    if (!read.ok) return read.response
    const { store, party } = this.#options
    const keys = await store.passkeys.list(this.#ownerOf(person))
    const challenge = this.#challenge(person, 'authorise', newPasskeyDigest(read.key), read.nonce)
    const view: PasskeyAuthoriseView = { request: requestOptions(party, challenge, keys) }
    return Response.json(view)
  }

  async add(visitor: PasskeyVisitor, request: Request): Promise<Response> {
    const { person } = visitor
    const read = await this.#readNewKey(person, request)
    if (!read.ok) return read.response
    const { store, party } = this.#options
    const owner = this.#ownerOf(person)
    const isFirst = (await store.passkeys.list(owner)).length === 0
    if (isFirst && !this.#isFresh(visitor)) return problem('refused', text.notFresh)
    const { key: registered, nonce, state, authorisation } = read
    const by = isFirst
      ? undefined
      : await this.#verified(person, 'authorise', newPasskeyDigest(registered), nonce, authorisation)
    if (by?.ok === false) return problem('refused', text.confirm)
    const key = { ...owner, ...registered, rpId: party.rpId, state }
    const id = await store.passkeys.add(by === undefined ? key : { ...key, by })
    return id === undefined ? problem('refused', text.notAccepted) : this.list(visitor)
  }

  /** The new key in a body, with the challenge that the browser registered it for. */
  async #readNewKey(person: Person, request: Request): Promise<NewKey> {
    const read = await readJsonBody(request)
    if (!read.ok) return read
    const { party, challenges } = this.#options
    const { token, name, credential, authorisation } = read.body
    const refuse = (...why: Parameters<typeof problem>) => ({ ok: false, response: problem(...why) }) as const
    if (typeof name !== 'string' || !isName(name) || name.length > presenceLimits.nameChars)
      return refuse('malformed', text.name)
    const opened = challenges.open({ ...this.#ownerOf(person), purpose: 'add-passkey', subject: '' }, token)
    if (opened === undefined) return refuse('refused', text.notAccepted)
    const challenge = this.#challenge(person, 'create', '', opened.nonce)
    const registered = await readRegistration(credential, challenge, party)
    if (registered === undefined) return refuse('refused', text.notAccepted)
    return { ok: true, key: { ...registered, name }, ...opened, authorisation }
  }

  async startRemoving({ person }: PasskeyVisitor, id: string): Promise<Response> {
    const { store, party, challenges } = this.#options
    const owner = this.#ownerOf(person)
    const keys = await store.passkeys.list(owner)
    if (!keys.some((key) => key.id === id)) return notFound()
    const { token, nonce } = challenges.issue({ ...owner, purpose: 'remove-passkey', subject: id })
    const request = requestOptions(party, this.#challenge(person, 'remove', id, nonce), keys)
    const view: PasskeyRemoveStartView = { token, request }
    return Response.json(view)
  }

  async remove(visitor: PasskeyVisitor, id: string, request: Request): Promise<Response> {
    const read = await readJsonBody(request)
    if (!read.ok) return read.response
    const { person } = visitor
    const { store, challenges } = this.#options
    const owner = this.#ownerOf(person)
    const { token, response } = read.body
    const opened = challenges.open({ ...owner, purpose: 'remove-passkey', subject: id }, token)
    if (opened === undefined) return problem('refused', text.notAccepted)
    const by = await this.#verified(person, 'remove', id, opened.nonce, response)
    if (!by.ok || !(await store.passkeys.remove({ ...owner, id, state: opened.state, by })))
      return problem('refused', text.notAccepted)
    return this.list(visitor)
  }

  /** A signature of one of the person's keys over this change. */
  async #verified(person: Person, change: 'authorise' | 'remove', passkey: string, nonce: string, raw: unknown) {
    const { store, party } = this.#options
    const response = readAssertion(raw)
    if (response === undefined) return { ok: false, problem: text.missing } as const
    const signed = { response, ...party, nonce, actionDigest: '' }
    return store.passkeys.verify(this.#ownerOf(person), signed, this.#challenge(person, change, passkey, nonce))
  }

  #challenge(
    { principal: by }: Person,
    change: 'create' | 'authorise' | 'remove',
    passkey: string,
    nonce: string,
  ): Uint8Array {
    return passkeyChallenge({ tenant: this.#options.tenant, by, change, passkey, nonce })
  }

  #isFresh({ begunAtMs }: PasskeyVisitor): boolean {
    const { hasAccounts, store } = this.#options
    return !hasAccounts || store.nowMs() - begunAtMs < inboxLimits.freshSignInMs
  }

  #ownerOf({ principal }: Person) {
    return { tenant: this.#options.tenant, principal }
  }
}
