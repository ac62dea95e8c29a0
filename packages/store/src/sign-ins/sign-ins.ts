// Who is signed in at the inbox, on every replica and across restarts.
//
// A secret enters here and is hashed at once: codes of links and tokens of sessions are never written. A link, and a login
// at an issuer, become one session each; how long everything lasts is judged by the database's clock.

import { createHash } from 'node:crypto'
import type { Person } from '@assent/core'
import { addOnce, type Engine } from '../engine/engine.ts'
import { beginSession, findBegun } from './begin-session.ts'
import { keepLink } from './keep-link.ts'
import { readName } from './read-name.ts'
import { endSession, endSessionsAt, readSession, type SessionRow } from './read-session.ts'
import { readLink, redeemLink } from './redeem-link.ts'

export interface Link {
  readonly tenant: string
  /** The secret in the link. */
  readonly code: string
  readonly person: Person
  readonly keepMs: number
  /** Of the tenant, unused at once. */
  readonly atMost: number
}

export interface NewSession {
  readonly tenant: string
  /** The secret in the cookie. */
  readonly token: string
  readonly keepMs: number
  /** Sessions at once: of the tenant, and of one person. */
  readonly atMost: number
  readonly atMostOfOne: number
}

/** The one browser that a session belongs to, where a cookie does not protect it. */
export interface SessionBrowser {
  /** Of the key that signs every request. */
  readonly publicKey: string
  /** What the listener proves itself to the browser with. */
  readonly listenerSecret: string
  /** Where it signed in: at another port the session does not exist. */
  readonly port: number
}

export interface Redeeming extends NewSession {
  readonly code: string
  readonly browser?: SessionBrowser
}

export interface Vouched extends NewSession {
  /** A secret of this one login: it does not become a second session. */
  readonly login: string
  readonly person: Person
  readonly name?: string
}

export type Begun = 'begun' | 'used' | 'too-many'

export interface Session {
  readonly person: Person
  /** What the person is called; nothing is decided by it. */
  readonly name?: string
  readonly expiresAtMs: number
  readonly browser?: SessionBrowser
}

export class SignIns {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** False while too many links are unused. */
  async invite({ tenant, code, person, keepMs, atMost }: Link): Promise<boolean> {
    const row = { tenant, hash: hashOf(code), ...columnsOf(person), keep: keepMs, at_most: atMost }
    if ((await addOnce(this.#engine, 'sign_in_links', keepLink, row)).length === 1) return true
    // A code is new each time: one that is there already is this one, whose keeping was unclear.
    return (await this.#engine.run(readLink, { tenant, link: row.hash })).length === 1
  }

  /** `used` also for a code that is too old or never was one: nobody learns which. */
  async redeem({ code, browser, ...session }: Redeeming): Promise<Begun> {
    const { tenant } = session
    const link = hashOf(code)
    const bound = {
      public_key: browser?.publicKey ?? null,
      listener_secret: browser?.listenerSecret ?? null,
      port: browser?.port ?? null,
    }
    const rows = await this.#engine.runRepeatable(redeemLink, { link, ...bound, ...roomFor(session) })
    if (rows.length === 1) return 'begun'
    if ((await this.#engine.run(readLink, { tenant, link })).length === 1) return 'too-many'
    return this.#begunWith(link, session)
  }

  /** For a person whom an issuer vouched for. */
  async begin({ login, person, name, ...session }: Vouched): Promise<Begun> {
    const { tenant } = session
    const begun_with = hashOf(login)
    const row = { begun_with, ...columnsOf(person), name: name ?? null, ...roomFor(session) }
    if ((await this.#engine.runRepeatable(beginSession, row)).length === 1) return 'begun'
    const isUsed = (await this.#engine.run(findBegun, { tenant, begun_with })).length === 1
    return isUsed ? this.#begunWith(begun_with, session) : 'too-many'
  }

  /** A token is new each time: a session that has it is the one whose beginning was unclear. */
  async #begunWith(begun_with: string, { tenant, token }: NewSession): Promise<Begun> {
    const begun = await this.#engine.run(findBegun, { tenant, begun_with })
    return begun.some(({ hash }) => hash === hashOf(token)) ? 'begun' : 'used'
  }

  async who(tenant: string, token: string): Promise<Session | undefined> {
    const [row] = await this.#engine.run(readSession, { tenant, hash: hashOf(token) })
    if (row === undefined) return undefined
    const person = { principal: row.principal, groups: JSON.parse(row.member_of) as string[] }
    return {
      person,
      ...(row.name === null ? {} : { name: row.name }),
      expiresAtMs: row.expires_at,
      ...browserIn(row),
    }
  }

  /** What this person was called when they last signed in; undefined when nobody said, or it is too long ago. */
  async nameOf(tenant: string, principal: string): Promise<string | undefined> {
    const [row] = await this.#engine.run(readName, { tenant, principal })
    return row?.name
  }

  /** False when there was none, or it had been ended. */
  async end(tenant: string, token: string): Promise<boolean> {
    return (await this.#engine.run(endSession, { tenant, hash: hashOf(token) })).length === 1
  }

  /** Ends every session that was begun at this port, because another program has it now. Returns how many. */
  async endAt(tenant: string, port: number): Promise<number> {
    return (await this.#engine.run(endSessionsAt, { tenant, port })).length
  }
}

function browserIn({ public_key, listener_secret, port }: SessionRow): Pick<Session, 'browser'> {
  if (public_key === null || listener_secret === null || port === null) return {}
  return { browser: { publicKey: public_key, listenerSecret: listener_secret, port } }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

function columnsOf({ principal, groups }: Person) {
  return { principal, member_of: JSON.stringify(groups) }
}

function roomFor({ tenant, token, keepMs, atMost, atMostOfOne }: NewSession) {
  return { tenant, hash: hashOf(token), keep: keepMs, at_most: atMost, at_most_of_one: atMostOfOne }
}
