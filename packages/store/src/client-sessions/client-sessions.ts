// Sessions of clients, stored so that any replica can serve any request of one.
//
// A session never changes, so a replica may cache it. `extend` also returns whether the session still exists.

import { type Engine, insertOnce } from '../engine/engine.ts'
import { beginClientSession } from './begin-session.ts'
import { type ClientSessionKey, endClientSession, extendClientSession, readClientSession } from './read-session.ts'
import { keepSetting, readSettings, removeSetting } from './session-settings.ts'

export interface ClientSessionRecord {
  readonly revision: string
  /** The client's description of itself; the store does not interpret it. */
  readonly client: string
}

/** A request that applies to a whole session, such as a log level. */
export interface SessionSetting {
  /** A later setting of the same name replaces the earlier one. */
  readonly name: string
  /** The request to replay on each replica; the store does not interpret it. */
  readonly request: string
}

export class ClientSessions {
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** False if this principal has reached its limit of sessions. */
  async begin(
    { tenant, id, principal }: ClientSessionKey,
    { revision, client }: ClientSessionRecord,
    { keepMs, perPrincipal }: { readonly keepMs: number; readonly perPrincipal: number },
  ): Promise<boolean> {
    const params = { tenant, id, principal, revision, client, keep: keepMs, at_most: perPrincipal }
    if ((await insertOnce(this.#engine, 'client_sessions', beginClientSession, params)).length === 1) return true
    // Ids are unique: a session that exists already is this one, inserted before its connection broke.
    return (await this.read({ tenant, id, principal })) !== undefined
  }

  async read({ tenant, id, principal }: ClientSessionKey): Promise<ClientSessionRecord | undefined> {
    const [row] = await this.#engine.run(readClientSession, { tenant, id, principal })
    return row
  }

  /** False if there is no such session any more. */
  async extend({ tenant, id, principal }: ClientSessionKey, keepMs: number): Promise<boolean> {
    const rows = await this.#engine.runRepeatable(extendClientSession, { tenant, id, principal, keep: keepMs })
    return rows.length === 1
  }

  /** True for the one call that ended it. */
  async end({ tenant, id, principal }: ClientSessionKey): Promise<boolean> {
    const rows = await this.#engine.run(endClientSession, { tenant, id, principal })
    return rows.length === 1
  }

  /** False if there is no such session, or it has reached its limit of settings. */
  async keepSetting(
    { tenant, id, principal }: ClientSessionKey,
    setting: SessionSetting,
    atMost: number,
  ): Promise<boolean> {
    const params = { tenant, id, principal, setting: setting.name, request: setting.request, at_most: atMost }
    return (await this.#engine.run(keepSetting, params)).length === 1
  }

  async removeSetting({ tenant, id, principal }: ClientSessionKey, setting: string): Promise<void> {
    await this.#engine.run(removeSetting, { tenant, id, principal, setting })
  }

  /** The requests of a session's settings, oldest first. */
  async settings({ tenant, id, principal }: ClientSessionKey): Promise<readonly string[]> {
    return (await this.#engine.run(readSettings, { tenant, id, principal })).map(({ request }) => request)
  }
}
