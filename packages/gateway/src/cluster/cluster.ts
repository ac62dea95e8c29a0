// One replica among those that share a store: how it is reached, and how it reaches the others.
//
// Owns: the listener for forwarded requests, and the address in this replica's row.
// I1  A replica is listed only after it listens, and after it has reached itself at its own address.
// I2  Replicas that cannot reach each other do not run together: the later one is refused.

import type { KeyRing } from '@assent/core'
import type { Store } from '@assent/store'
import { clusterLimits, relayLimits } from '../limits.ts'
import { discard, readReply } from '../protocol/http.ts'
import { isWildcard } from '../protocol/loopback.ts'
import { sleep } from '../protocol/sleep.ts'
import { type ForwardRefusal, ownPath } from './forward-seal.ts'
import { Forwarder } from './forwarder.ts'
import type { Heartbeat } from './heartbeat.ts'
import { ClusterListener, type ForwardedIn, type ListenerOptions } from './listener.ts'
import { Peers } from './peers.ts'
import { PlainNetworks } from './plain-networks.ts'

export interface ClusterSettings {
  /** Where other replicas connect; without it this must be the only replica. */
  readonly listen?: { readonly host: string; readonly port: number }
  /** The address that other replicas use; by default that of `listen`. */
  readonly address?: string
  /** PEM texts: the certificate and key of this replica, and the certificates that sign those of the others. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca?: string }
  /** Networks in which TLS is not required, such as `10.0.0.0/8`. */
  readonly privateNetworks?: readonly string[]
}

export interface ClusterParts {
  readonly settings: ClusterSettings
  readonly store: Store
  readonly keys: KeyRing
  readonly tenant: string
  readonly heartbeat: Heartbeat
  readonly onError: (error: unknown) => void
}

export interface JoinEvents {
  /** A forwarded request was refused. */
  readonly onRefused: (why: ForwardRefusal) => void
  /** Another replica may have crashed: the start waits until its lease ends. */
  readonly onWait: () => void
}

/** The path at which a replica is told that the sender stops serving requests. */
const leavePath = '/replica/leaves'

type Listen = (server: ClusterListener['server'], at: { host: string; port: number }) => Promise<{ port: number }>

export class Cluster {
  readonly peers: Peers
  readonly forwarder: Forwarder
  readonly #parts: ClusterParts
  #listener: ClusterListener | undefined
  #lastFailure: string | undefined

  constructor(parts: ClusterParts) {
    const { settings, store, keys, heartbeat } = parts
    this.#parts = parts
    this.peers = new Peers(heartbeat.replica, store, () => heartbeat.isSteady)
    const ca = settings.tls?.ca
    this.forwarder = new Forwarder({
      peers: this.peers,
      keys,
      nowMs: () => store.nowMs(),
      plain: new PlainNetworks(settings.privateNetworks),
      onFailed: (error) => {
        this.#lastFailure = error.message
        parts.onError(error)
      },
      ...(ca === undefined ? {} : { ca }),
    })
  }

  /** Forwarded requests whose response is not fully sent. */
  get inProgress(): number {
    return this.#listener?.inProgress ?? 0
  }

  /** Joins the replicas that share the store. Fails if they could not reach each other. */
  async join(handlers: ListenerOptions['handlers'], listenAt: Listen, events: JoinEvents): Promise<void> {
    const address = await this.#listen(handlers, listenAt, events.onRefused)
    try {
      if (address !== '') await this.#checkOwn(address)
      await this.#untilCompatible(address, events.onWait)
      await this.#parts.heartbeat.announce(address)
      // Another one may have joined at the same time.
      const conflict = await this.#conflict(address)
      if (conflict !== undefined) throw new Error(conflict)
    } catch (error) {
      this.close()
      throw error
    }
  }

  /**
   * Tells the other replicas to forward nothing more to this one: a request that arrived while its connection is closed
   * might have run, so its caller would get an error.
   */
  async leave(): Promise<void> {
    if (this.#listener === undefined) return
    const by = { tenant: this.#parts.tenant, principal: this.peers.own, groups: [] }
    const request = { method: 'POST', path: leavePath, headers: {}, body: '' }
    const others = await this.peers.all().catch(() => [])
    await Promise.all(
      others.map(async (to) => {
        const response = await this.forwarder.send(to, by, request, AbortSignal.timeout(clusterLimits.leaveMs))
        if (typeof response !== 'string') discard(response)
      }),
    )
    // Requests that were sent just before are still on their way.
    if (others.length > 0) await sleep(clusterLimits.leaveGraceMs)
  }

  close(): void {
    this.#listener?.close()
    this.forwarder.close()
  }

  async #listen(
    handlers: ListenerOptions['handlers'],
    listenAt: Listen,
    onRefused: (why: ForwardRefusal) => void,
  ): Promise<string> {
    const { settings, store, keys, tenant, heartbeat, onError } = this.#parts
    const { listen, tls } = settings
    if (listen === undefined) return ''
    if (settings.address === undefined && isWildcard(listen.host))
      throw new Error('cluster.address is required: other gateways cannot connect to a wildcard address.')
    this.#listener = new ClusterListener({
      replica: heartbeat.replica,
      tenant,
      keys,
      nowMs: () => store.nowMs(),
      handlers: { ...handlers, [leavePath]: (forwarded) => this.#left(forwarded) },
      onRefused,
      onError,
      ...(tls === undefined ? {} : { tls }),
    })
    const { port } = await listenAt(this.#listener.server, listen).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new Error(`The gateway cannot listen at cluster.listen: ${reason}`, { cause: error })
    })
    const host = listen.host.includes(':') ? `[${listen.host}]` : listen.host
    return settings.address ?? `${tls === undefined ? 'http' : 'https'}://${host}:${port}`
  }

  async #left({ by, response }: ForwardedIn): Promise<void> {
    this.peers.leaves(by.from)
    response.writeHead(204).end()
  }

  /** A request to the own address must reach this process. */
  async #checkOwn(address: string): Promise<void> {
    const { own } = this.peers
    const by = { tenant: this.#parts.tenant, principal: own, groups: [] }
    const request = { method: 'GET', path: ownPath, headers: {}, body: '' }
    const response = await this.forwarder.send({ id: own, address }, by, request, AbortSignal.timeout(5_000))
    if (typeof response !== 'string' && (await readReply(response)) === own) return
    const reason = this.#lastFailure ?? 'Another program responds there.'
    throw new Error(
      `This gateway does not reach itself at ${address}, so other gateways could not either. Check cluster.address, its port and its certificate. ${reason}`,
    )
  }

  /** One that crashed counts as alive until its lease ends, so this waits for one lease before it fails. */
  async #untilCompatible(address: string, onWait: () => void): Promise<void> {
    let isWaiting = false
    const endsAt = performance.now() + relayLimits.leaseMs + relayLimits.renewEveryMs
    for (;;) {
      const conflict = await this.#conflict(address)
      if (conflict === undefined) return
      if (performance.now() > endsAt) throw new Error(conflict)
      if (!isWaiting) onWait()
      isWaiting = true
      await sleep(relayLimits.renewEveryMs / 4)
    }
  }

  /** A live replica that could not reach this one, or that this one could not reach. */
  async #conflict(address: string): Promise<string | undefined> {
    const others = (await this.#parts.store.replicas.live()).filter(({ id }) => id !== this.peers.own)
    const conflicting = address === '' ? others : others.filter((one) => one.address === '')
    if (conflicting.length === 0) return undefined
    return address === ''
      ? 'Another gateway uses this database, and it could not reach this one. Set cluster.listen in every gateway that shares a database.'
      : 'Another gateway that uses this database has no address at which this one could reach it. Set cluster.listen there too, or stop it.'
  }
}
