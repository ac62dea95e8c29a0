// Sign-in links and sessions of the inbox, valid on every replica and across restarts.
//
// I1  Codes of links and tokens of sessions are stored only as hashes.
// I2  A link, or a login at an issuer, starts at most one session.
// I3  Expiry is checked by the database's clock.

import { createHash } from 'node:crypto'
import type { Person } from '@assent/core'
import { type Engine, insertOnce } from '../engine/engine.ts'
import type { Notifier } from '../notify/notifier.ts'
import type { Waiter } from '../notify/waiters.ts'
import { keepLink } from './keep-link.ts'
import { readName } from './read-name.ts'
import { endSession, endSessionsAt, findSessions, readSession, type SessionRow } from './read-session.ts'
import { discardLink, readLink, redeemLink } from './redeem-link.ts'
import { findStarted, startSession } from './start-session.ts'

export interface SignInLink {
  readonly tenant: string
  /** The secret in the link. */
  readonly code: string
  readonly person: Person
  readonly keepMs: number
  /** The limit of unused links per tenant. */
  readonly atMost: number
}

export interface NewSession {
  readonly tenant: string
  /** The secret in the cookie. */
  readonly token: string
  readonly keepMs: number
  /** The limits of sessions: per tenant, and per person. */
  readonly atMost: number
  readonly atMostOfOne: number
}

/** The browser that a session belongs to, if a cookie does not protect it. */
export interface SessionBrowser {
  /** The key that signs every request. */
  readonly publicKey: string
  /** Proves the listener's identity to the browser. */
  readonly listenerSecret: string
  /** The port where it signed in: at another port the session is invalid. */
  readonly port: number
}

export interface LinkRedemption extends NewSession {
  readonly code: string
  readonly browser?: SessionBrowser
}

export interface IssuerLogin extends NewSession {
  /** A secret of this login: it starts no second session. */
  readonly login: string
  readonly person: Person
  readonly name?: string
}

export type SignInResult = 'begun' | 'used' | 'too-many'

export interface InboxSession {
  readonly person: Person
  /** The person's name, for display only. */
  readonly name?: string
  readonly begunAtMs: number
  readonly expiresAtMs: number
  readonly browser?: SessionBrowser
}

export class SignIns {
  readonly #engine: Engine
  readonly #notifier: Notifier

  constructor(engine: Engine, notifier: Notifier) {
    this.#engine = engine
    this.#notifier = notifier
  }

  /** False if there are too many unused links. */
  async addLink({ tenant, code, person, keepMs, atMost }: SignInLink): Promise<boolean> {
    const row = { tenant, hash: hashOf(code), ...columnsOf(person), keep: keepMs, at_most: atMost }
    if ((await insertOnce(this.#engine, 'sign_in_links', keepLink, row)).length === 1) return true
    // Codes are unique: a link that exists already is this one, inserted before its connection broke.
    return this.isUnused(tenant, code)
  }

  /** Whether a link exists that has neither been used nor expired. */
  async isUnused(tenant: string, code: string): Promise<boolean> {
    return (await this.#engine.run(readLink, { tenant, link: hashOf(code) })).length === 1
  }

  /** `used` also for an expired or unknown code: the same result on purpose. */
  async redeem({ code, browser, ...session }: LinkRedemption): Promise<SignInResult> {
    const { tenant } = session
    const link = hashOf(code)
    const bound = {
      public_key: browser?.publicKey ?? null,
      listener_secret: browser?.listenerSecret ?? null,
      port: browser?.port ?? null,
    }
    const rows = await this.#engine.runRepeatable(redeemLink, { link, ...bound, ...sessionParams(session) })
    if (rows.length === 1) return 'begun'
    if (await this.isUnused(tenant, code)) return 'too-many'
    return this.#begunWith(link, session)
  }

  /** Uses up a link whose browser is signed in already. False for a used, expired or unknown code. */
  async discard(tenant: string, code: string): Promise<boolean> {
    return (await this.#engine.run(discardLink, { tenant, link: hashOf(code) })).length === 1
  }

  /** For a person who logged in at an issuer. */
  async begin({ login, person, name, ...session }: IssuerLogin): Promise<SignInResult> {
    const { tenant } = session
    const begun_with = hashOf(login)
    const row = { begun_with, ...columnsOf(person), name: name ?? null, ...sessionParams(session) }
    if ((await this.#engine.runRepeatable(startSession, row)).length === 1) return 'begun'
    const isUsed = (await this.#engine.run(findStarted, { tenant, begun_with })).length === 1
    return isUsed ? this.#begunWith(begun_with, session) : 'too-many'
  }

  /** Tokens are unique: a session with this token is this one, inserted before its connection broke. */
  async #begunWith(begun_with: string, { tenant, token }: NewSession): Promise<SignInResult> {
    const begun = await this.#engine.run(findStarted, { tenant, begun_with })
    return begun.some(({ hash }) => hash === hashOf(token)) ? 'begun' : 'used'
  }

  async readSession(tenant: string, token: string): Promise<InboxSession | undefined> {
    const [row] = await this.#engine.run(readSession, { tenant, hash: hashOf(token) })
    if (row === undefined) return undefined
    const person = { principal: row.principal, groups: JSON.parse(row.member_of) as string[] }
    return {
      person,
      ...(row.name === null ? {} : { name: row.name }),
      begunAtMs: row.begun_at,
      expiresAtMs: row.expires_at,
      ...browserIn(row),
    }
  }

  /** Those of these tokens whose sessions are valid, in one statement. */
  async validOf(tenant: string, tokens: readonly string[]): Promise<string[]> {
    const byHash = new Map(tokens.map((token) => [hashOf(token), token]))
    const rows = await this.#engine.run(findSessions, { tenant, hashes: JSON.stringify([...byHash.keys()]) })
    return rows.flatMap(({ hash }) => byHash.get(hash) ?? [])
  }

  /** The person's name at their last sign-in; undefined if none is known, or it is too long ago. */
  async nameOf(tenant: string, principal: string): Promise<string | undefined> {
    const [row] = await this.#engine.run(readName, { tenant, principal })
    return row?.name
  }

  /** False if there was none, or it had ended. */
  async end(tenant: string, token: string): Promise<boolean> {
    const ended = await this.#engine.run(endSession, { tenant, hash: hashOf(token) })
    this.#notifyEnds(tenant, ended)
    return ended.length === 1
  }

  /** Ends every session of this port, because another program uses it now. Returns how many. */
  async endSessionsAt(tenant: string, port: number): Promise<number> {
    const ended = await this.#engine.run(endSessionsAt, { tenant, port })
    this.#notifyEnds(tenant, ended)
    return ended.length
  }

  /** For a cache of sessions: notified when any process ends this one. The signal may be lost, as for asks. */
  endWaiter(tenant: string, token: string): Waiter {
    return this.#notifier.waiterForEnd(tenant, signalName(hashOf(token)))
  }

  #notifyEnds(tenant: string, ended: readonly { readonly hash: string }[]): void {
    for (const { hash } of ended) this.#notifier.changed(tenant, '', [signalName(hash)])
  }
}

/** Takes the place of an approver's name in a signal. */
function signalName(hash: string): string {
  return `session:${hash}`
}

function browserIn({ public_key, listener_secret, port }: SessionRow): Pick<InboxSession, 'browser'> {
  if (public_key === null || listener_secret === null || port === null) return {}
  return { browser: { publicKey: public_key, listenerSecret: listener_secret, port } }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

function columnsOf({ principal, groups }: Person) {
  return { principal, member_of: JSON.stringify(groups) }
}

function sessionParams({ tenant, token, keepMs, atMost, atMostOfOne }: NewSession) {
  return { tenant, hash: hashOf(token), keep: keepMs, at_most: atMost, at_most_of_one: atMostOfOne }
}
