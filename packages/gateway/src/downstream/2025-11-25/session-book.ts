// All sessions of clients over HTTP, wherever they began: this process keeps those it has served, the store keeps all.
//
// A session is its person's alone: for anyone else it does not exist. What arrives here and belongs to a call that runs in
// another process is passed on to that process by letter; it judges it as if the client had come there.

import { randomUUID } from 'node:crypto'
import type { JsonObject } from '@assent/core'
import { Mailbox } from '../../fleet/mailbox.ts'
import { downstreamLimits, fleetLimits } from '../../limits.ts'
import {
  isNotification,
  isReply,
  type Notification,
  objectAt,
  type Reply,
  type Request,
  readMessage,
  stringAt,
} from '../../wire/messages.ts'
import { readOwnJson } from '../../wire/own-json.ts'
import type { Serving } from '../context.ts'
import { beginIdentity, ClientSession, cancelledBy, isForServers, type SessionIdentity } from './session.ts'
import { readWish, type WishRequest, wishIn, writeWish } from './wishes.ts'

export type Begun =
  | { readonly ok: true; readonly session: ClientSession; readonly reply: Reply }
  | { readonly ok: false; readonly reason: string }
  /** The servers cannot be used, in words for the client. */
  | { readonly ok: false; readonly reply: Reply }

interface Kept {
  readonly session: ClientSession
  /** When the store last heard that it is in use. */
  extendedMs: number
}

export class SessionBook {
  readonly #serving: Serving
  readonly #onTrouble: (error: unknown) => void
  readonly #kept = new Map<string, Kept>()
  /** Being read from the store: of two requests that come at once, one session is made. */
  readonly #finding = new Map<string, Promise<ClientSession | undefined>>()
  readonly #sweep: NodeJS.Timeout

  constructor(serving: Serving, onTrouble: (error: unknown) => void) {
    this.#serving = serving
    this.#onTrouble = onTrouble
    this.#sweep = setInterval(() => this.#letGoIdle(), 60_000)
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
      this.#own(tenant, principal, content)?.hear(notification).catch(onTrouble)
    })
    mailbox.on('wish', ({ tenant, principal, content }) => {
      const wish = readWish(stringAt(content, 'wish') ?? '')
      const session = this.#own(tenant, principal, content)
      if (wish !== undefined && session !== undefined) grant(session, wish).catch(onTrouble)
    })
    mailbox.on('end', ({ tenant, principal, content }) => {
      const session = this.#own(tenant, principal, content)
      if (session !== undefined) this.#letGo(session).catch(onTrouble)
    })
  }

  /** Sessions that this process has served lately. */
  get size(): number {
    return this.#kept.size
  }

  async begin(principal: string, request: Request, headers: Readonly<Record<string, string>>): Promise<Begun> {
    if (this.#kept.size >= downstreamLimits.sessions) return { ok: false, reason: 'There are too many sessions.' }
    const identity = beginIdentity(principal, request.params ?? {})
    const session = new ClientSession(this.#serving, identity, 'http')
    const reply = await session.initialize(request, headers)
    if ('error' in reply) {
      await session.end()
      return { ok: false, reply }
    }
    const limits = { keepMs: downstreamLimits.sessionIdleMs, perPrincipal: downstreamLimits.sessionsPerCaller }
    if (!(await this.#serving.store.sessions.begin(this.#nameOf(identity), recordOf(identity), limits))) {
      await session.end()
      const reason = `You have ${downstreamLimits.sessionsPerCaller} sessions open. End some of them (DELETE), then begin again.`
      return { ok: false, reason }
    }
    this.#keep(session)
    return { ok: true, session, reply }
  }

  /** Undefined where there is no such session for this person. */
  async find(id: string, principal: string): Promise<ClientSession | undefined> {
    const kept = this.#kept.get(id)
    if (kept === undefined) return this.#findOnce(id, principal)
    if (kept.session.principal !== principal) return undefined
    this.#extend(kept)
    return kept.session
  }

  /** An answer to a question of ours, put here or by another process. */
  async take(session: ClientSession, reply: Reply): Promise<void> {
    const { mailbox } = this.#serving
    const replica = typeof reply.id === 'string' ? Mailbox.replicaOf(reply.id) : undefined
    if (replica === undefined || replica === mailbox.replica || session.waitsFor(reply.id)) return session.take(reply)
    session.takeEarly(reply)
    await mailbox.send(replica, this.#nameOf(session), 'answer', { session: session.id, reply: JSON.stringify(reply) })
  }

  async hear(
    session: ClientSession,
    notification: Notification,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    if (isForServers(notification)) {
      await session.hear(notification, headers)
      const said = { session: session.id, notification: JSON.stringify(notification) }
      await this.#serving.mailbox.sendToAll(this.#nameOf(session), 'heard', said)
      return
    }
    const id = cancelledBy(notification)
    if (id === undefined || session.cancel(id)) return
    await this.#serving.mailbox.sendToAll(this.#nameOf(session), 'cancel', { session: session.id, requestId: id })
  }

  /** Has a wish that was granted here granted wherever the session is served, now and later. */
  async granted(session: ClientSession, request: Request, reply: Reply): Promise<void> {
    const wish = wishIn(request)
    if (wish === undefined || 'error' in reply) return
    const name = this.#nameOf(session)
    const { sessions } = this.#serving.store
    const said = writeWish(request)
    if (wish.isTakenBack) await sessions.takeBackWish(name, wish.name)
    else await sessions.keepWish(name, { name: wish.name, request: said }, fleetLimits.wishesPerSession)
    await this.#serving.mailbox.sendToAll(name, 'wish', { session: session.id, wish: said })
  }

  /** False when it was ended already. */
  async end(session: ClientSession): Promise<boolean> {
    const isEnded = await this.#serving.store.sessions.end(this.#nameOf(session))
    // Its handles end with it, so nothing waits for what they lead to. First, because its servers' calls end with it too.
    if (isEnded) await this.#serving.store.asks.withdrawOfGoneSessions().catch(this.#onTrouble)
    await this.#letGo(session)
    if (isEnded) await this.#serving.mailbox.sendToAll(this.#nameOf(session), 'end', { session: session.id })
    return isEnded
  }

  /** Lets go of what is kept here. The sessions go on, in other processes or in this one after a restart. */
  async close(): Promise<void> {
    clearInterval(this.#sweep)
    await Promise.all([...this.#kept.values()].map(({ session }) => this.#letGo(session)))
  }

  async #findOnce(id: string, principal: string): Promise<ClientSession | undefined> {
    const key = `${principal}\n${id}`
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
    // Nobody knows how long ago it was used elsewhere: its end may be near.
    this.#moveEndOn(session)
    await this.#grantAll(session)
    return session
  }

  /** What its client wished for elsewhere, or before a restart. A server that takes long over it holds nobody up. */
  async #grantAll(session: ClientSession): Promise<void> {
    const wishes = await this.#serving.store.sessions.wishes(this.#nameOf(session))
    if (wishes.length === 0) return
    const granting = Promise.all(
      wishes.map(async (text) => {
        const wish = readWish(text)
        if (wish !== undefined) await grant(session, wish)
      }),
    ).catch(this.#onTrouble)
    await Promise.race([granting, new Promise((resolve) => setTimeout(resolve, fleetLimits.wishesWithinMs))])
  }

  #keep(session: ClientSession): ClientSession {
    this.#kept.set(session.id, { session, extendedMs: performance.now() })
    this.#serving.mailbox.open()
    return session
  }

  /** Moves the end of a session on, at most now and then. One that is gone is let go. */
  #extend(kept: Kept): void {
    const now = performance.now()
    if (now - kept.extendedMs < fleetLimits.sessionExtendMs) return
    kept.extendedMs = now
    this.#moveEndOn(kept.session)
  }

  #moveEndOn(session: ClientSession): void {
    this.#serving.store.sessions
      .extend(this.#nameOf(session), downstreamLimits.sessionIdleMs)
      .then((isThere) => (isThere ? undefined : this.#letGo(session)))
      .catch(this.#onTrouble)
  }

  /** The session that a letter is about, if it is kept here and is its sender's. */
  #own(tenant: string, principal: string, content: JsonObject): ClientSession | undefined {
    const kept = this.#kept.get(stringAt(content, 'session') ?? '')
    const isOurs = tenant === this.#serving.tenant && kept?.session.principal === principal
    return isOurs ? kept?.session : undefined
  }

  async #letGo(session: ClientSession): Promise<void> {
    if (this.#kept.get(session.id)?.session === session) this.#kept.delete(session.id)
    await session.end()
  }

  #letGoIdle(): void {
    const before = performance.now() - downstreamLimits.sessionIdleMs
    for (const { session } of this.#kept.values()) {
      if (session.lastUsedMs <= before) this.#letGo(session).catch(this.#onTrouble)
    }
  }

  #nameOf({ id, principal }: Pick<SessionIdentity, 'id' | 'principal'>) {
    return { tenant: this.#serving.tenant, id, principal }
  }
}

/** Says it to the servers as the client would; what they answer was told where the client said it. */
async function grant(session: ClientSession, wish: WishRequest): Promise<void> {
  const request = { jsonrpc: '2.0', id: randomUUID(), ...wish } as const
  await session.answer(request, () => undefined, new AbortController().signal)
}

function recordOf({ revision, info, declared }: SessionIdentity) {
  return { revision, client: JSON.stringify({ info, declared }) }
}
