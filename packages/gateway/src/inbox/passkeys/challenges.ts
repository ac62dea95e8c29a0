// The challenges that this inbox gives to browsers, without storing them.
//
// A challenge contains a random nonce. The nonce travels with the browser in a sealed token, which is bound to one person,
// one purpose and one subject, expires soon, and is used up by the step that stores its result.

import { randomBytes } from 'node:crypto'
import { digestOf, isPlainObject, type KeyRing, seal, unseal } from '@assent/core'
import type { UsedState } from '@assent/store'
import { isOwnLoopbackName } from '../../protocol/loopback.ts'
import { inboxLimits } from '../limits.ts'

/** What a challenge is for. */
export interface ChallengeFor {
  readonly tenant: string
  readonly principal: string
  readonly purpose: 'answer' | 'add-passkey' | 'remove-passkey'
  /** The ask or the passkey; empty for a new passkey. */
  readonly subject: string
}

export interface OpenedChallenge {
  readonly nonce: string
  readonly state: UsedState
}

/** The host that passkeys are made for, and the only origin whose signatures count. */
export interface RelyingParty {
  readonly rpId: string
  readonly origin: string
}

/** One host for good. Browsers have no passkeys for IP addresses, so on this machine it is `localhost`. */
export function relyingPartyOf(base: URL): RelyingParty {
  if (!isOwnLoopbackName(base.hostname)) return { rpId: base.hostname, origin: base.origin }
  const url = new URL(base)
  url.hostname = 'localhost'
  return { rpId: 'localhost', origin: url.origin }
}

export class Challenges {
  readonly #keys: KeyRing
  readonly #nowMs: () => number

  constructor(keys: KeyRing, nowMs: () => number) {
    this.#keys = keys
    this.#nowMs = nowMs
  }

  issue(wanted: ChallengeFor): { readonly token: string; readonly nonce: string } {
    const nonce = randomBytes(16).toString('base64url')
    const binding = { ...bindingOf(wanted), ttlMs: inboxLimits.challengeMs }
    return { token: seal(this.#keys, binding, { nonce }, { nowMs: this.#nowMs(), random: randomBytes }), nonce }
  }

  /** Undefined for a token that is not for this, has expired, or was not made here. */
  open(wanted: ChallengeFor, token: unknown): OpenedChallenge | undefined {
    const opened = unseal(this.#keys, token, { ...bindingOf(wanted), nowMs: this.#nowMs() })
    if (!opened.ok || !isPlainObject(opened.payload) || typeof opened.payload.nonce !== 'string') return undefined
    return { nonce: opened.payload.nonce, state: { id: opened.id, expiresAtMs: opened.expiresAtMs } }
  }
}

function bindingOf({ tenant, principal, purpose, subject }: ChallengeFor) {
  return {
    principal,
    purpose: `presence ${purpose}`,
    requestDigest: digestOf('presence request v1', { tenant, subject }),
  }
}
