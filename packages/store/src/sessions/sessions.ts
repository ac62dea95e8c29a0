// Sessions of clients, so that any process can serve any request of one.
//
// What a session is does not change while it lasts, so whoever has read it may keep it in memory; its end can be moved on
// now and then, and that is also how one learns that it is gone.

import { addOnce, type Engine } from '../engine/engine.ts'
import { beginSession } from './begin-session.ts'
import { endSession, extendSession, readSession } from './read-session.ts'
import { keepWish, readWishes, takeBackWish } from './wishes.ts'

export interface SessionName {
  readonly tenant: string
  readonly id: string
  readonly principal: string
}

export interface SessionRecord {
  readonly revision: string
  /** What the client said of itself; the store does not look into it. */
  readonly client: string
}

/** What a client asked for once and meant for its whole session. */
export interface SessionWish {
  /** Of two by one name the later counts. */
  readonly name: string
  /** What to say to have it granted; the store does not look into it. */
  readonly request: string
}

export class Sessions {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** False when this principal has as many sessions as one may have. */
  async begin(
    { tenant, id, principal }: SessionName,
    { revision, client }: SessionRecord,
    { keepMs, perPrincipal }: { readonly keepMs: number; readonly perPrincipal: number },
  ): Promise<boolean> {
    const params = { tenant, id, principal, revision, client, keep: keepMs, at_most: perPrincipal }
    if ((await addOnce(this.#engine, 'client_sessions', beginSession, params)).length === 1) return true
    // Its id is new each time: one that is there already is this one, whose beginning was unclear.
    return (await this.read({ tenant, id, principal })) !== undefined
  }

  async read({ tenant, id, principal }: SessionName): Promise<SessionRecord | undefined> {
    const [row] = await this.#engine.run(readSession, { tenant, id, principal })
    return row
  }

  /** False when there is no such session any more. */
  async extend({ tenant, id, principal }: SessionName, keepMs: number): Promise<boolean> {
    const rows = await this.#engine.runRepeatable(extendSession, { tenant, id, principal, keep: keepMs })
    return rows.length === 1
  }

  /** True for whoever ended it. */
  async end({ tenant, id, principal }: SessionName): Promise<boolean> {
    const rows = await this.#engine.run(endSession, { tenant, id, principal })
    return rows.length === 1
  }

  /** False when there is no such session, or it has as many wishes as one may have. */
  async keepWish({ tenant, id, principal }: SessionName, wish: SessionWish, atMost: number): Promise<boolean> {
    const params = { tenant, id, principal, wish: wish.name, request: wish.request, at_most: atMost }
    return (await this.#engine.run(keepWish, params)).length === 1
  }

  async takeBackWish({ tenant, id, principal }: SessionName, wish: string): Promise<void> {
    await this.#engine.run(takeBackWish, { tenant, id, principal, wish })
  }

  /** What there is to say for the wishes of a session, in the order in which they were made. */
  async wishes({ tenant, id, principal }: SessionName): Promise<readonly string[]> {
    return (await this.#engine.run(readWishes, { tenant, id, principal })).map(({ request }) => request)
  }
}
