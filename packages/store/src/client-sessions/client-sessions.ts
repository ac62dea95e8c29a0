// Sessions of clients, and the replica that serves each. They are stored so that another replica can take one over.
//
// Except for its owner, a session never changes, so its owner may cache it. `extend` also returns whether the session still
// exists, and who owns it.

import { type Engine, insertOnce } from '../engine/engine.ts'
import { beginClientSession } from './begin-session.ts'
import {
  type ClientSessionKey,
  endClientSession,
  extendClientSession,
  moveClientSession,
  readClientSession,
} from './read-session.ts'
import { keepSetting, readSettings, removeSetting } from './session-settings.ts'

export interface ClientSessionRecord {
  readonly revision: string
  /** The client's description of itself; the store does not interpret it. */
  readonly client: string
  /** The replica that serves it. */
  readonly owner: string
}

export interface StoredClientSession extends ClientSessionRecord {
  /** The replica that served it before, where its earlier calls may still run. */
  readonly movedFrom?: string
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
    { revision, client, owner }: ClientSessionRecord,
    { keepMs, perPrincipal }: { readonly keepMs: number; readonly perPrincipal: number },
  ): Promise<boolean> {
    const params = { tenant, id, principal, owner, revision, client, keep: keepMs, at_most: perPrincipal }
    if ((await insertOnce(this.#engine, 'client_sessions', beginClientSession, params)).length === 1) return true
    // Ids are unique: a session that exists already is this one, inserted before its connection broke.
    return (await this.read({ tenant, id, principal })) !== undefined
  }

  async read({ tenant, id, principal }: ClientSessionKey): Promise<StoredClientSession | undefined> {
    const [row] = await this.#engine.run(readClientSession, { tenant, id, principal })
    if (row === undefined) return undefined
    const { moved_from: movedFrom, ...record } = row
    return movedFrom === null ? record : { ...record, movedFrom }
  }

  /** Returns the owner; undefined if there is no such session any more. */
  async extend({ tenant, id, principal }: ClientSessionKey, keepMs: number): Promise<string | undefined> {
    const rows = await this.#engine.runRepeatable(extendClientSession, { tenant, id, principal, keep: keepMs })
    return rows[0]?.owner
  }

  /** Makes a replica the owner. False if the session no longer belongs to `from`. */
  async move({ tenant, id, principal }: ClientSessionKey, owner: string, from: string): Promise<boolean> {
    const rows = await this.#engine.run(moveClientSession, { tenant, id, principal, owner, from })
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
