// Turns a one-time link, or a login at an issuer, into a session.
//
// Links and sessions are rows in the store, so a session is valid on every replica and after a restart. Only the
// browser has the secrets; the store has their hashes. This module does not depend on HTTP; the caller sets the cookie.

import { randomBytes } from 'node:crypto'
import type { Person } from '@assent/core'
import { compact } from '@assent/core'
import type { InboxSession, SessionBrowser, Store, Waiter } from '@assent/store'
import { isOf } from '../http/identity/person.ts'
import { inboxLimits } from './limits.ts'

export type Entered =
  | { readonly ok: true; readonly token: string }
  /** `used` also for an expired or unknown code. */
  | { readonly ok: false; readonly reason: 'used' | 'too-many' }

/** Binds a session to one browser. */
export interface RedeemedAt {
  readonly listener: string
  readonly browser: SessionBrowser
}

export interface SignInOptions {
  readonly store: Store
  readonly tenant: string
  /** How long a session lasts. */
  readonly sessionMs: number
  /** With accounts: sessions of people from another issuer are ignored. */
  readonly issuer?: string | undefined
}

export class SignIn {
  readonly #store: Store
  readonly #tenant: string
  readonly #sessionMs: number
  readonly #issuer: string | undefined
  readonly #fresh = new Map<string, InboxSession>()

  constructor({ store, tenant, sessionMs, issuer }: SignInOptions) {
    this.#store = store
    this.#tenant = tenant
    this.#sessionMs = sessionMs
    this.#issuer = issuer
  }

  /**
   * A code for one sign-in by this person, or undefined while too many are unused.
   *
   * @param listener the only process that accepts the code, for listeners whose port another program may take
   */
  async invite(person: Person, listener?: string): Promise<string | undefined> {
    const code = aSecret()
    const link = { tenant: this.#tenant, person, keepMs: inboxLimits.linkMs, atMost: inboxLimits.links }
    return (await this.#store.signIns.addLink({ ...link, code: codeFor(code, listener) })) ? code : undefined
  }

  /** Whether a code that `invite` returned can still be used. */
  async isUnused(code: string, listener?: string): Promise<boolean> {
    return this.#store.signIns.isUnused(this.#tenant, codeFor(code, listener))
  }

  /** Uses up a code whose browser is signed in already. */
  async discard(code: string, listener?: string): Promise<void> {
    await this.#store.signIns.discard(this.#tenant, codeFor(code, listener))
  }

  /** Exchanges a code for a session. A code works once. */
  async redeem(code: string, at?: RedeemedAt): Promise<Entered> {
    const session = { ...this.#newSession(), code: codeFor(code, at?.listener) }
    const browser = at === undefined ? {} : { browser: at.browser }
    return enteredWith(session.token, await this.#store.signIns.redeem({ ...session, ...browser }))
  }

  /** A session for a person whom the issuer identified; once per login. */
  async begin(login: string, person: Person, name: string | undefined): Promise<Entered> {
    const session = { ...this.#newSession(), login, person, ...compact({ name }) }
    return enteredWith(session.token, await this.#store.signIns.begin(session))
  }

  async who(token: string): Promise<InboxSession | undefined> {
    const session = await this.#store.signIns.readSession(this.#tenant, token)
    if (session === undefined || this.#issuer === undefined) return session
    return isOf(this.#issuer, session.person) ? session : undefined
  }

  /**
   * The same, read at most once per `sessionFreshMs`. A sign-out at another replica takes effect with its signal, or after
   * that time if the signal is lost.
   */
  async whoLately(token: string): Promise<InboxSession | undefined> {
    const known = this.#fresh.get(token)
    if (known !== undefined) return known.expiresAtMs > this.#store.nowMs() ? known : undefined
    // Opened before the read, so that an end between the two is not missed.
    const waiter = this.#store.signIns.endWaiter(this.#tenant, token)
    const session = await this.who(token).catch((error: unknown) => {
      waiter.close()
      throw error
    })
    if (session === undefined || this.#fresh.size >= inboxLimits.freshSessions) waiter.close()
    else this.#keepFresh(token, session, waiter)
    return session
  }

  async end(token: string): Promise<void> {
    await this.#store.signIns.end(this.#tenant, token)
    this.#fresh.delete(token)
  }

  #keepFresh(token: string, session: InboxSession, waiter: Waiter): void {
    this.#fresh.set(token, session)
    void waiter.wait(inboxLimits.sessionFreshMs).then(() => {
      this.#fresh.delete(token)
      waiter.close()
    })
  }

  #newSession() {
    const { sessions: atMost, sessionsPerPerson: atMostOfOne } = inboxLimits
    return { tenant: this.#tenant, token: aSecret(), keepMs: this.#sessionMs, atMost, atMostOfOne }
  }
}

/**
 * The address of a link. The code is in the fragment, so that it reaches no server, log or prefetcher.
 *
 * @param to the page to show after signing in
 */
export function linkWith(code: string, base: URL, to = '/'): string {
  const page = to === '/' ? '' : `&${new URLSearchParams({ to })}`
  return new URL(`/sign-in#code=${code}${page}`, base).href
}

/** Includes the process in the stored hash, so that the code is unknown to every other process. */
function codeFor(code: string, listener: string | undefined): string {
  return listener === undefined ? code : `${code}\n${listener}`
}

export function aSecret(): string {
  return randomBytes(32).toString('base64url')
}

function enteredWith(token: string, begun: 'begun' | 'used' | 'too-many'): Entered {
  return begun === 'begun' ? { ok: true, token } : { ok: false, reason: begun }
}
