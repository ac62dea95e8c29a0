// The other replicas on the same store: which are alive, and where they can be reached.
//
// Owns: a copy of the list of live replicas, at most a second old.
// I1  A replica is declared dead only when the store says so and this replica is steady (heartbeat.ts). Until then one that
//     was alive is still listed: after an outage of the store, it has had no time yet to renew its lease.

import { createHash } from 'node:crypto'
import type { LiveReplica, Store } from '@assent/store'
import { clusterLimits } from '../limits.ts'

/** The replicas in the order of the hashes of their id and the key (rendezvous hashing). */
export function ranked(replicas: readonly LiveReplica[], key: string): readonly LiveReplica[] {
  return replicas
    .map((replica) => ({ replica, weight: createHash('sha256').update(`${replica.id} ${key}`).digest('hex') }))
    .sort((a, b) => (a.weight < b.weight ? -1 : 1))
    .map(({ replica }) => replica)
}

export class Peers {
  /** The id of this replica. */
  readonly own: string
  readonly #store: Pick<Store, 'replicas'>
  readonly #isSteady: () => boolean
  #list: readonly LiveReplica[] = []
  /** Replicas that are alive and serve no more requests. */
  readonly #leaving = new Set<string>()
  #readAtMs = Number.NEGATIVE_INFINITY
  #reading: Promise<void> | undefined

  constructor(own: string, store: Pick<Store, 'replicas'>, isSteady: () => boolean) {
    this.own = own
    this.#store = store
    this.#isSteady = isSteady
  }

  /** Another replica that is alive and can be reached. Throws when the store is unavailable. */
  async find(id: string): Promise<LiveReplica | undefined> {
    if (id === this.own) return undefined
    // A replica that is missing in the copy may be new, so the list is read again.
    await this.#readOlderThan(this.#inCopy(id) === undefined ? clusterLimits.peersAgainMs : clusterLimits.peersKeptMs)
    const found = this.#inCopy(id)
    return found !== undefined && this.#serves(found) ? found : undefined
  }

  /** The other replicas that can be reached. */
  async all(): Promise<readonly LiveReplica[]> {
    await this.#readOlderThan(clusterLimits.peersAgainMs)
    return this.#list.filter((replica) => replica.id !== this.own && this.#serves(replica))
  }

  /** No request is forwarded to this replica from now on. */
  leaves(id: string): void {
    this.#leaving.add(id)
  }

  /** Whether this replica has said that it stops. */
  isLeaving(id: string): boolean {
    return this.#leaving.has(id)
  }

  /** Whether the lease of a replica has ended. */
  async isDead(id: string): Promise<boolean> {
    await this.#readOlderThan(clusterLimits.peersAgainMs)
    return this.#isSteady() && this.#inCopy(id) === undefined
  }

  /**
   * The replicas that may serve the requests with this key, best first: the same order at every replica, as long as the
   * same ones are alive. Those after this one are left out.
   */
  async before(key: string): Promise<readonly LiveReplica[]> {
    await this.#readOlderThan(clusterLimits.peersKeptMs)
    const serving = this.#list.filter((replica) => this.#serves(replica))
    const all = ranked(serving, key)
    const own = all.findIndex(({ id }) => id === this.own)
    return own < 0 ? all : all.slice(0, own)
  }

  #serves({ id, address }: LiveReplica): boolean {
    return address !== '' && !this.#leaving.has(id)
  }

  #inCopy(id: string): LiveReplica | undefined {
    return this.#list.find((replica) => replica.id === id)
  }

  async #readOlderThan(ms: number): Promise<void> {
    if (performance.now() - this.#readAtMs < ms) return
    const startedAtMs = performance.now()
    this.#reading ??= this.#store.replicas
      .live()
      .then((list) => {
        const isListed = ({ id }: LiveReplica) => list.some((replica) => replica.id === id)
        const unclear = this.#isSteady() ? [] : this.#list.filter((replica) => !isListed(replica))
        this.#list = [...list, ...unclear]
        this.#readAtMs = startedAtMs
        for (const id of this.#leaving) if (this.#inCopy(id) === undefined) this.#leaving.delete(id)
      })
      .finally(() => {
        this.#reading = undefined
      })
    await this.#reading
  }
}
