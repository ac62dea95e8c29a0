// The sessions of clients over HTTP. This process caches those it has served; the store has all of them.
//
// A session belongs to one person; for anyone else it does not exist. A message that belongs to a call in another
// process is sent to that process, which handles it as if it had received it from the client.

import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@assent/core'
import { Mailbox } from '../../../cluster/mailbox.ts'
import { clientLimits, clusterLimits } from '../../../limits.ts'
import { compoundKey } from '../../../protocol/compound-key.ts'
import {
  isNotification,
  isReply,
  type Notification,
  objectAt,
  type Reply,
  type Request,
  readMessage,
  stringAt,
} from '../../../protocol/messages.ts'
import { readOwnJson } from '../../../protocol/own-json.ts'
import { within } from '../../../protocol/within.ts'
import type { Serving } from '../../context.ts'
import { beginIdentity, ClientSession, cancelledBy, concernsServers, type SessionIdentity } from '../session.ts'
import { readSetting, type SettingRequest, settingIn, writeSetting } from './session-settings.ts'

export type SessionStart =
  | { readonly ok: true; readonly session: ClientSession; readonly reply: Reply }
  | { readonly ok: false; readonly reason: string }
  /** The servers cannot be used; the reply has the reason. */
  | { readonly ok: false; readonly reply: Reply }

interface Kept {
  readonly session: ClientSession
  /** When the session was last extended in the store. */
  extendedMs: number
}

export class SessionBook {
  readonly #serving: Serving
  readonly #onError: (error: unknown) => void
  readonly #kept = new Map<string, Kept>()
  /** Reads in progress, so that two concurrent requests create one session. */
  readonly #finding = new Map<string, Promise<ClientSession | undefined>>()
  readonly #sweep: NodeJS.Timeout

  constructor(serving: Serving, onError: (error: unknown) => void) {
    this.#serving = serving
    this.#onError = onError
    this.#sweep = setInterval(() => this.#releaseIdle(), 60_000)
    this.#sweep.unref()
    const { mailbox } = serving
    mailbox.on('answer', ({ tenant, principal, content }) => {
      const reply = readMessage(stringAt(content, 'reply') ?? '')
      if (reply !== undefined && isReply(reply)) this.#own(tenant, principal, content)?.take(reply)
    })
    mailbox.on('cancel', ({ tenant, principal, content }) => {
      const { requestId: id } = content
      if (typeof id === 'string' || typeof id === 'number') this.#own(tenant, principal, content)?.cancel(id)
    })
    mailbox.on('heard', ({ tenant, principal, content }) => {
      const notification = readMessage(stringAt(content, 'notification') ?? '')
      if (notification === undefined || !isNotification(notification)) return
      this.#own(tenant, principal, content)?.receive(notification).catch(onError)
    })
    mailbox.on('setting', ({ tenant, principal, content }) => {
      const setting = readSetting(stringAt(content, 'setting') ?? '')
      const session = this.#own(tenant, principal, content)
      if (setting !== undefined && session !== undefined) applySetting(session, setting).catch(onError)
    })
    mailbox.on('end', ({ tenant, principal, content }) => {
      const session = this.#own(tenant, principal, content)
      if (session !== undefined) this.#release(session).catch(onError)
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
    if (!(await this.#serving.store.sessions.begin(this.#nameOf(identity), recordOf(identity), limits))) {
      await session.end()
      const reason = `You have ${clientLimits.sessionsPerCaller} sessions open. End some of them (DELETE), then retry.`
      return { ok: false, reason }
    }
    this.#keep(session)
    return { ok: true, session, reply }
  }

  /** Undefined when this person has no such session. */
  async find(id: string, principal: string): Promise<ClientSession | undefined> {
    const kept = this.#kept.get(id)
    if (kept === undefined) return this.#findOnce(id, principal)
    if (kept.session.principal !== principal) return undefined
    this.#extend(kept)
    return kept.session
  }

  /** An answer to a question that this process or another one asked. */
  async take(session: ClientSession, reply: Reply): Promise<void> {
    const { mailbox } = this.#serving
    const replica = typeof reply.id === 'string' ? Mailbox.replicaOf(reply.id) : undefined
    if (replica === undefined || replica === mailbox.replica || session.waitsFor(reply.id)) return session.take(reply)
    session.takeEarly(reply)
    await mailbox.send(replica, this.#nameOf(session), 'answer', { session: session.id, reply: JSON.stringify(reply) })
  }

  async receive(
    session: ClientSession,
    notification: Notification,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    if (concernsServers(notification)) {
      await session.receive(notification, headers)
      const content = { session: session.id, notification: JSON.stringify(notification) }
      await this.#serving.mailbox.sendToAll(this.#nameOf(session), 'heard', content)
      return
    }
    const id = cancelledBy(notification)
    if (id === undefined || session.cancel(id)) return
    await this.#serving.mailbox.sendToAll(this.#nameOf(session), 'cancel', { session: session.id, requestId: id })
  }

  /** Stores a setting that was applied here, and applies it in every process that serves the session. */
  async granted(session: ClientSession, request: Request, reply: Reply): Promise<void> {
    const setting = settingIn(request)
    if (setting === undefined || 'error' in reply) return
    const name = this.#nameOf(session)
    const { sessions } = this.#serving.store
    const text = writeSetting(request)
    if (setting.isTakenBack) await sessions.removeSetting(name, setting.name)
    else await sessions.keepSetting(name, { name: setting.name, request: text }, clusterLimits.settingsPerSession)
    await this.#serving.mailbox.sendToAll(name, 'setting', { session: session.id, setting: text })
  }

  /** False when the session had already ended. */
  async end(session: ClientSession): Promise<boolean> {
    const isEnded = await this.#serving.store.sessions.end(this.#nameOf(session))
    // Its handles are invalid now, so withdraw their asks. Do this before releasing the session, which ends its server
    // calls.
    if (isEnded) await this.#serving.store.asks.withdrawOfGoneSessions().catch(this.#onError)
    await this.#release(session)
    if (isEnded) await this.#serving.mailbox.sendToAll(this.#nameOf(session), 'end', { session: session.id })
    return isEnded
  }

  /** Releases the cached sessions. They remain in the store, for other processes or for this one after a restart. */
  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.all([...this.#kept.values()].map(({ session }) => this.#release(session)))
  }

  async #findOnce(id: string, principal: string): Promise<ClientSession | undefined> {
    const key = compoundKey(principal, id)
    const finding = this.#finding.get(key) ?? this.#read(id, principal).finally(() => this.#finding.delete(key))
    this.#finding.set(key, finding)
    return finding
  }

  async #read(id: string, principal: string): Promise<ClientSession | undefined> {
    const record = await this.#serving.store.sessions.read(this.#nameOf({ id, principal }))
    if (record === undefined) return undefined
    const client = readOwnJson(record.client) as JsonObject
    const info = objectAt(client, 'info') ?? {}
    const declared = objectAt(client, 'declared') ?? {}
    const identity = { id, principal, revision: record.revision, info, declared }
    const session = this.#keep(new ClientSession(this.#serving, identity, 'http'))
    // Extend it now: it may have been idle for long in another process, and close to its expiry.
    this.#extendInStore(session)
    await this.#applySettings(session)
    return session
  }

  /**
   * Applies the settings made in another process or before a restart. A slow server delays the request only briefly.
   */
  async #applySettings(session: ClientSession): Promise<void> {
    const settings = await this.#serving.store.sessions.settings(this.#nameOf(session))
    if (settings.length === 0) return
    const applying = Promise.all(
      settings.map(async (text) => {
        const setting = readSetting(text)
        if (setting !== undefined) await applySetting(session, setting)
      }),
    ).catch(this.#onError)
    await within(clusterLimits.settingsWithinMs, applying)
  }

  #keep(session: ClientSession): ClientSession {
    this.#kept.set(session.id, { session, extendedMs: performance.now() })
    this.#serving.mailbox.open()
    return session
  }

  /** Extends the session, at most once per `sessionExtendMs`. Releases it when the store no longer has it. */
  #extend(kept: Kept): void {
    const now = performance.now()
    if (now - kept.extendedMs < clusterLimits.sessionExtendMs) return
    kept.extendedMs = now
    this.#extendInStore(kept.session)
  }

  #extendInStore(session: ClientSession): void {
    this.#serving.store.sessions
      .extend(this.#nameOf(session), clientLimits.sessionIdleMs)
      .then((isThere) => (isThere ? undefined : this.#release(session)))
      .catch(this.#onError)
  }

  /** The session that a message is about, if it is cached here and belongs to the sender. */
  #own(tenant: string, principal: string, content: JsonObject): ClientSession | undefined {
    const kept = this.#kept.get(stringAt(content, 'session') ?? '')
    const isOurs = tenant === this.#serving.tenant && kept?.session.principal === principal
    return isOurs ? kept?.session : undefined
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

  #nameOf({ id, principal }: Pick<SessionIdentity, 'id' | 'principal'>) {
    return { tenant: this.#serving.tenant, id, principal }
  }
}

/** Sends the request to the servers again. The reply is ignored: the client received it from the original request. */
async function applySetting(session: ClientSession, setting: SettingRequest): Promise<void> {
  const request = { jsonrpc: '2.0', id: randomUUID(), ...setting } as const
  await session.answer(request, () => undefined, new AbortController().signal)
}

function recordOf({ revision, info, declared }: SessionIdentity) {
  return { revision, client: JSON.stringify({ info, declared }) }
}
