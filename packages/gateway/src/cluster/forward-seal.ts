// The header that authenticates a request which one replica forwards to another.
//
// It is sealed with the key ring of the gateway, so only a replica can create it. It covers the sender, the receiver, the
// person, the tenant, the method, the path, the forwarded headers and the body. It is valid for a few seconds, and once.

import { createHash } from 'node:crypto'
import {
  compact,
  isPlainObject,
  isSealedFor,
  type JsonObject,
  type KeyRing,
  requestDigest,
  type SealRefusal,
  seal,
  unseal,
} from '@assent/core'
import { clusterLimits } from '../limits.ts'
import { stringAt } from '../protocol/messages.ts'
import { randomBytes } from '../protocol/random.ts'

export const sealHeader = 'assent-forwarded'

/** The parts of a request that the seal covers. */
export interface ForwardedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Who forwards it, to which replica, and for whom. */
export interface Forwarding {
  readonly from: string
  readonly to: string
  readonly tenant: string
  readonly principal: string
  readonly groups: readonly string[]
  /** The OAuth client of the caller. */
  readonly client?: string
  readonly roles?: readonly string[]
  /** The address that the request came from. */
  readonly address?: string
}

export type ForwardRefusal = 'forged' | 'expired' | 'misdirected' | 'loop' | 'replayed' | 'too-many'

export type OpenedForward =
  | { readonly ok: true; readonly forwarding: Forwarding }
  | { readonly ok: false; readonly why: ForwardRefusal }

const binding = { principal: 'replica', purpose: 'forwarded request' }

export function sealForward(keys: KeyRing, request: ForwardedRequest, forwarding: Forwarding, nowMs: number): string {
  const bound = { ...binding, requestDigest: digestOf(request), ttlMs: clusterLimits.forwardValidMs }
  const { groups, roles, ...rest } = forwarding
  const payload = { ...rest, groups: [...groups], ...(roles === undefined ? {} : { roles: [...roles] }) }
  return seal(keys, bound, payload, { nowMs, random: randomBytes })
}

/** Opens the headers of requests that were forwarded to one replica, each once. */
export class ForwardSeals {
  readonly #keys: KeyRing
  readonly #replica: string
  readonly #nowMs: () => number
  /** Until when the ids of used seals are kept; in the order of arrival. */
  readonly #used = new Map<string, number>()

  constructor(keys: KeyRing, replica: string, nowMs: () => number) {
    this.#keys = keys
    this.#replica = replica
    this.#nowMs = nowMs
  }

  /** Whether a replica sealed the header of some request, recently or not. `open` checks everything. */
  isSealed(sealed: unknown): boolean {
    let refusal: SealRefusal | undefined
    isSealedFor(this.#keys, sealed, { ...binding, nowMs: this.#nowMs() }, (reason) => {
      refusal = reason
    })
    return refusal === undefined || refusal === 'expired'
  }

  open(sealed: unknown, request: ForwardedRequest): OpenedForward {
    const nowMs = this.#nowMs()
    let refusal = 'malformed' as SealRefusal
    const expected = { ...binding, requestDigest: digestOf(request), nowMs }
    const opened = unseal(this.#keys, sealed, expected, (reason) => {
      refusal = reason
    })
    if (!opened.ok) return { ok: false, why: refusal === 'expired' ? 'expired' : 'forged' }
    const forwarding = isPlainObject(opened.payload) ? readForwarding(opened.payload as JsonObject) : undefined
    if (forwarding === undefined) return { ok: false, why: 'forged' }
    if (forwarding.to !== this.#replica) return { ok: false, why: 'misdirected' }
    if (forwarding.from === this.#replica && request.path !== ownPath) return { ok: false, why: 'loop' }
    this.#deleteExpired(nowMs)
    if (this.#used.has(opened.id)) return { ok: false, why: 'replayed' }
    if (this.#used.size >= clusterLimits.forwardedAtOnce) return { ok: false, why: 'too-many' }
    // Longer than it is valid, because the clock of the database steps back when a standby with a slower clock takes over.
    this.#used.set(opened.id, opened.expiresAtMs + clusterLimits.forwardValidMs)
    return { ok: true, forwarding }
  }

  #deleteExpired(nowMs: number): void {
    for (const [id, untilMs] of this.#used) {
      if (untilMs > nowMs) return
      this.#used.delete(id)
    }
  }
}

/** The path at which a replica returns its id. The only one that it requests from itself, to check its own address. */
export const ownPath = '/replica'

function readForwarding(payload: JsonObject): Forwarding | undefined {
  const names = ['from', 'to', 'tenant', 'principal', 'client', 'address']
  const [from, to, tenant, principal, client, address] = names.map((name) => stringAt(payload, name))
  const groups = textsAt(payload, 'groups') ?? []
  if (from === undefined || to === undefined || tenant === undefined || principal === undefined) return undefined
  return { from, to, tenant, principal, groups, ...compact({ client, roles: textsAt(payload, 'roles'), address }) }
}

function textsAt(payload: JsonObject, name: string): string[] | undefined {
  const value = payload[name]
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined
}

function digestOf({ method, path, headers, body }: ForwardedRequest): string {
  const bodyDigest = createHash('sha256').update(body).digest('hex')
  return requestDigest({ method, target: path, arguments: { headers: { ...headers }, body: bodyDigest } })
}
