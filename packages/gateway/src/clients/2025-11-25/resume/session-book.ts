// The sessions of clients over HTTP. Each is served by one replica, its owner; the store has all of them.
//
// Owns: the sessions that this replica serves, and a short memory of who serves the others.
// I1  A session belongs to one person; for anyone else it does not exist.
// I2  Another replica becomes the owner when the owner cannot serve the session. Who the owner is decides only where
//     requests are sent: that no call runs twice is ensured by the claims and leases of the calls themselves.

import { randomUUID } from 'node:crypto'
import { compact, type JsonObject } from '@assent/core'
import { type CallerFacts, callerFacts, type Identity } from '../../../call/local-person.ts'
import { clientLimits, clusterLimits } from '../../../limits.ts'
import { compoundKey } from '../../../protocol/compound-key.ts'
import { objectAt, type Reply, type Request } from '../../../protocol/messages.ts'
import { readOwnJson } from '../../../protocol/own-json.ts'
import { within } from '../../../protocol/within.ts'
import type { Serving } from '../../context.ts'
import { beginIdentity, ClientSession, type SessionIdentity } from '../session.ts'
import { readSetting, type SettingRequest, settingIn, writeSetting } from './session-settings.ts'

export type SessionStart =
  | { readonly ok: true; readonly session: ClientSession; readonly reply: Reply }
  | { readonly ok: false; readonly reason: string }
  /** The servers cannot be used; the reply has the reason. */
  | { readonly ok: false; readonly reply: Reply }

/** The replica that served a session before, where its earlier calls may still run. */
interface Moved {
  readonly movedFrom?: string
}

export type FoundSession =
  | ({ readonly kind: 'here'; readonly session: ClientSession } & Moved)
  | ({ readonly kind: 'elsewhere'; readonly owner: string } & Moved)

interface Kept extends Moved {
  readonly session: ClientSession
  /** When the session was last extended in the store. */
  extendedMs: number
  /** Resolves when the settings of the session are applied here. */
  readonly applied?: Promise<void>
}

type Elsewhere = FoundSession & { kind: 'elsewhere' }

export class SessionBook {
  readonly #serving: Serving
  readonly #onError: (error: unknown) => void
  readonly #kept = new Map<string, Kept>()
  /** Reads in progress, so that two concurrent requests create one session. */
  readonly #finding = new Map<string, Promise<FoundSession | undefined>>()
  /** Who serves the sessions of recent requests that were served elsewhere. */
  readonly #elsewhere = new Map<string, { readonly found: Elsewhere; readonly untilMs: number }>()
  readonly #sweep: NodeJS.Timeout

  constructor(serving: Serving, onError: (error: unknown) => void) {
    this.#serving = serving
    this.#onError = onError
    this.#sweep = setInterval(() => this.#releaseIdle(), 60_000)
    this.#sweep.unref()
    serving.onLapse(async () => {
      // The next request of each session checks who owns it.
      for (const kept of this.#kept.values()) kept.extendedMs = Number.NEGATIVE_INFINITY
    })
  }

  /** Sessions that this process has served recently. */
  get size(): number {
    return this.#kept.size
  }

  async begin(principal: string, request: Request, headers: Readonly<Record<string, string>>): Promise<SessionStart> {
    if (this.#kept.size >= clientLimits.sessions) return { ok: false, reason: 'There are too many sessions.' }
    const identity = beginIdentity(principal, request.params ?? {})
    const session = new ClientSession(this.#serving, identity, 'http')
    const reply = await session.initialize(request, headers)
    if ('error' in reply) {
      await session.end()
      return { ok: false, reply }
    }
    const limits = { keepMs: clientLimits.sessionIdleMs, perPrincipal: clientLimits.sessionsPerCaller }
    if (!(await this.#serving.store.sessions.begin(this.#nameOf(identity), this.#recordOf(identity), limits))) {
      await session.end()
      const reason = `You have ${clientLimits.sessionsPerCaller} sessions open. End some of them (DELETE), then retry.`
      return { ok: false, reason }
    }
    this.#keep(session)
    return { ok: true, session, reply }
  }

  /**
   * Where a session is served. Undefined when this person has no such session.
   * @param mayTakeOver whether this replica becomes its owner if the owner is dead
   */
  async find(id: string, by: Identity, mayTakeOver: boolean): Promise<FoundSession | undefined> {
    const kept = this.#kept.get(id)
    if (kept === undefined) return this.#findOnce(id, by, mayTakeOver)
    if (kept.session.principal !== by.principal) return undefined
    await kept.applied
    this.#extend(kept)
    return here(kept)
  }

  /** The owner could not serve the session, so this replica becomes its owner; unless another one already did. */
  async takeOver(id: string, by: Identity, from: string): Promise<FoundSession | undefined> {
    if (!this.#serving.resumes) return undefined
    await this.#move(id, by.principal, from)
    return this.find(id, by, false)
  }

  async #move(id: string, principal: string, from: string): Promise<void> {
    const key = compoundKey(principal, id)
    await this.#serving.store.sessions.move(this.#nameOf({ id, principal }), this.#own, from)
    this.#elsewhere.delete(key)
  }

  /** Stores a setting that was applied here, for a replica that takes the session over. */
  async granted(session: ClientSession, request: Request, reply: Reply): Promise<void> {
    const setting = settingIn(request)
    if (setting === undefined || 'error' in reply) return
    const name = this.#nameOf(session)
    const { sessions } = this.#serving.store
    if (setting.isTakenBack) return sessions.removeSetting(name, setting.name)
    const kept = { name: setting.name, request: writeSetting(request) }
    await sessions.keepSetting(name, kept, clusterLimits.settingsPerSession)
  }

  /** False when the session had already ended. */
  async end(session: ClientSession): Promise<boolean> {
    const isEnded = await this.#serving.store.sessions.end(this.#nameOf(session))
    // Its handles are invalid now, so withdraw their asks. Do this before releasing the session, which ends its server
    // calls.
    if (isEnded) await this.#serving.store.asks.withdrawOfGoneSessions().catch(this.#onError)
    await this.#release(session)
    return isEnded
  }

  /** Releases the cached sessions. They remain in the store, for other processes or for this one after a restart. */
  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.all([...this.#kept.values()].map(({ session }) => this.#release(session)))
  }

  async #findOnce(id: string, by: Identity, mayTakeOver: boolean): Promise<FoundSession | undefined> {
    const key = compoundKey(by.principal, id)
    const known = this.#elsewhere.get(key)
    if (known !== undefined && known.untilMs > performance.now()) return known.found
    const finding = this.#finding.get(key) ?? this.#read(id, by, mayTakeOver).finally(() => this.#finding.delete(key))
    this.#finding.set(key, finding)
    return finding
  }

  async #read(id: string, by: Identity, mayTakeOver: boolean): Promise<FoundSession | undefined> {
    const { principal } = by
    const name = this.#nameOf({ id, principal })
    const record = await this.#serving.store.sessions.read(name)
    if (record === undefined) return undefined
    const { owner, movedFrom } = record
    if (owner !== this.#own) {
      const found = { kind: 'elsewhere', owner, ...(movedFrom === undefined ? {} : { movedFrom }) } as const
      const isReachable = (await this.#serving.others?.peers.find(owner)) !== undefined
      if (!mayTakeOver || isReachable) return this.#remember(name, found)
      if (!this.#serving.resumes) return undefined
      await this.#move(id, principal, owner)
      return this.#read(id, by, false)
    }
    const client = readOwnJson(record.client) as JsonObject
    const info = objectAt(client, 'info') ?? {}
    const declared = objectAt(client, 'declared') ?? {}
    const identity = { id, principal, revision: record.revision, info, declared }
    const session = new ClientSession(this.#serving, identity, 'http')
    const applied = this.#applySettings(session, callerFacts(by)).catch(async (error: unknown) => {
      // The next request of the session reads it again.
      await this.#release(session)
      throw error
    })
    const kept = this.#keep(session, { ...compact({ movedFrom }), applied })
    // Extend it now: it may have been idle for long in another process, and close to its expiry.
    this.#extendInStore(session)
    await applied
    return here(kept)
  }

  #remember({ id, principal }: Pick<SessionIdentity, 'id' | 'principal'>, found: Elsewhere): FoundSession {
    const now = performance.now()
    for (const [key, { untilMs }] of this.#elsewhere) if (untilMs <= now) this.#elsewhere.delete(key)
    if (this.#elsewhere.size < clientLimits.sessions)
      this.#elsewhere.set(compoundKey(principal, id), { found, untilMs: now + clusterLimits.ownerKeptMs })
    return found
  }

  /** Applies the settings made in another process or before a restart. A slow server delays the request only briefly. */
  async #applySettings(session: ClientSession, facts: CallerFacts): Promise<void> {
    const settings = await this.#serving.store.sessions.settings(this.#nameOf(session))
    if (settings.length === 0) return
    const applying = Promise.all(
      settings.map(async (text) => {
        const setting = readSetting(text)
        if (setting !== undefined) await applySetting(session, setting, facts)
      }),
    ).catch(this.#onError)
    await within(clusterLimits.settingsWithinMs, applying)
  }

  #keep(session: ClientSession, taken: Pick<Kept, 'movedFrom' | 'applied'> = {}): Kept {
    const kept = { session, extendedMs: performance.now(), ...taken }
    this.#kept.set(session.id, kept)
    return kept
  }

  /**
   * Extends the session, at most once per `sessionExtendMs`. Releases it when the store no longer has it, or when
   * another replica has taken it over and no call of it runs here.
   */
  #extend(kept: Kept): void {
    const now = performance.now()
    if (now - kept.extendedMs < clusterLimits.sessionExtendMs) return
    kept.extendedMs = now
    this.#extendInStore(kept.session)
  }

  #extendInStore(session: ClientSession): void {
    this.#serving.store.sessions
      .extend(this.#nameOf(session), clientLimits.sessionIdleMs)
      .then((owner) => {
        const isOurs = owner === this.#own || (owner !== undefined && session.isBusy)
        return isOurs ? undefined : this.#release(session)
      })
      .catch(this.#onError)
  }

  async #release(session: ClientSession): Promise<void> {
    if (this.#kept.get(session.id)?.session === session) this.#kept.delete(session.id)
    await session.end()
  }

  #releaseIdle(): void {
    const before = performance.now() - clientLimits.sessionIdleMs
    for (const { session } of this.#kept.values()) {
      if (session.lastUsedMs <= before) this.#release(session).catch(this.#onError)
    }
  }

  get #own(): string {
    return this.#serving.replica
  }

  #recordOf({ revision, info, declared }: SessionIdentity) {
    return { revision, client: JSON.stringify({ info, declared }), owner: this.#own }
  }

  #nameOf({ id, principal }: Pick<SessionIdentity, 'id' | 'principal'>) {
    return { tenant: this.#serving.tenant, id, principal }
  }
}

/** Sends the request to the servers again. The reply is ignored: the client received it from the original request. */
async function applySetting(session: ClientSession, setting: SettingRequest, facts: CallerFacts): Promise<void> {
  const request = { jsonrpc: '2.0', id: randomUUID(), ...setting } as const
  await session.answer(request, () => undefined, new AbortController().signal, { facts })
}

function here({ session, movedFrom }: Kept): FoundSession {
  return { kind: 'here', session, ...(movedFrom === undefined ? {} : { movedFrom }) }
}
