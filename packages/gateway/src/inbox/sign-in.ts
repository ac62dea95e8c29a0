// Who is at the browser: a link that works once, or a login at an issuer, becomes a session.
//
// Both are rows in the store, so a session is good on every replica and after a restart. Secrets are made here and kept by
// nobody but their holder: the store has their hashes. It knows nothing of HTTP; the cookie is the caller's.

import { randomBytes } from 'node:crypto'
import type { Person } from '@assent/core'
import type { Session, SessionBrowser, Store } from '@assent/store'
import { isOf } from '../identity/person.ts'
import { inboxLimits } from '../limits.ts'

export type Entered =
  | { readonly ok: true; readonly token: string }
  /** `used` also for what is too old or never was. */
  | { readonly ok: false; readonly reason: 'used' | 'too-many' }

/** Where a session belongs to one browser. */
export interface RedeemedAt {
  readonly listener: string
  readonly browser: SessionBrowser
}

export interface SignInOptions {
  readonly store: Store
  readonly tenant: string
  /** How long a session lasts. */
  readonly sessionMs: number
  /** Where people have accounts: a session of another issuer's person counts for nothing. */
  readonly issuer?: string | undefined
}

export class SignIn {
  readonly #store: Store
  readonly #tenant: string
  readonly #sessionMs: number
  readonly #issuer: string | undefined

  constructor({ store, tenant, sessionMs, issuer }: SignInOptions) {
    this.#store = store
    this.#tenant = tenant
    this.#sessionMs = sessionMs
    this.#issuer = issuer
  }

  /**
   * A code for one sign-in by this person, or nothing while too many are unused.
   *
   * @param listener the process that it is for, where another program may take its port: no other process accepts it
   */
  async invite(person: Person, listener?: string): Promise<string | undefined> {
    const code = aSecret()
    const link = { tenant: this.#tenant, person, keepMs: inboxLimits.linkMs, atMost: inboxLimits.links }
    return (await this.#store.signIns.invite({ ...link, code: codeFor(code, listener) })) ? code : undefined
  }

  /** Turns a code into a session. A code works once, whoever brings it. */
  async redeem(code: string, at?: RedeemedAt): Promise<Entered> {
    const session = { ...this.#newSession(), code: codeFor(code, at?.listener) }
    const browser = at === undefined ? {} : { browser: at.browser }
    return enteredWith(session.token, await this.#store.signIns.redeem({ ...session, ...browser }))
  }

  /** A session for a person whom an issuer vouched for; once for each login. */
  async begin(login: string, person: Person, name: string | undefined): Promise<Entered> {
    const session = { ...this.#newSession(), login, person, ...(name === undefined ? {} : { name }) }
    return enteredWith(session.token, await this.#store.signIns.begin(session))
  }

  async who(token: string): Promise<Session | undefined> {
    const session = await this.#store.signIns.who(this.#tenant, token)
    if (session === undefined || this.#issuer === undefined) return session
    return isOf(this.#issuer, session.person) ? session : undefined
  }

  async end(token: string): Promise<void> {
    await this.#store.signIns.end(this.#tenant, token)
  }

  #newSession() {
    const { sessions: atMost, sessionsPerPerson: atMostOfOne } = inboxLimits
    return { tenant: this.#tenant, token: aSecret(), keepMs: this.#sessionMs, atMost, atMostOfOne }
  }
}

/** Where a link leads. After the hash, so that the code reaches no server, log or prefetcher; the page sends it. */
export function linkWith(code: string, base: URL): string {
  return new URL(`/sign-in#code=${code}`, base).href
}

/** The process is part of what is kept of a code: at another one it is a code that never was. */
function codeFor(code: string, listener: string | undefined): string {
  return listener === undefined ? code : `${code}\n${listener}`
}

export function aSecret(): string {
  return randomBytes(32).toString('base64url')
}

function enteredWith(token: string, begun: 'begun' | 'used' | 'too-many'): Entered {
  return begun === 'begun' ? { ok: true, token } : { ok: false, reason: begun }
}
