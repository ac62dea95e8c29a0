// Tokens whose signature and claims were verified, so that the next request with the same token is recognised by its hash.
//
// Owns: the caller of each verified token, until the token expires. Does not own: verification (`identify.ts`).
// I1  Only verified tokens are added: invalid ones cannot displace them, and a refusal is never remembered.
// I2  A token is recognised only while the keys that verified it are in force: each fetch of the keys ends all entries.
// I3  A token is recognised only from the time of its verification until it expires.

import { hash } from 'node:crypto'
import type { Identity } from '../../call/local-person.ts'
import { identityLimits } from '../../limits.ts'

interface Verified {
  readonly identity: Identity
  readonly keys: object
  readonly fromMs: number
  readonly untilMs: number
}

interface Verification {
  /** The keys in force that verified the token. */
  readonly keys: object
  /** The token's `exp`. */
  readonly expSeconds: number
  readonly nowMs: number
}

export class VerifiedTokens {
  readonly #toleranceMs: number
  readonly #verified = new Map<string, Verified>()

  constructor(toleranceMs: number) {
    this.#toleranceMs = toleranceMs
  }

  get size(): number {
    return this.#verified.size
  }

  /** @param keys the keys in force now; undefined if there are none */
  find(token: string, keys: object | undefined, nowMs: number): Identity | undefined {
    const digest = digestOf(token)
    const found = this.#verified.get(digest)
    if (found === undefined) return undefined
    if (found.keys === keys && nowMs >= found.fromMs && nowMs < found.untilMs) return found.identity
    this.#verified.delete(digest)
    return undefined
  }

  add(token: string, identity: Identity, { keys, expSeconds, nowMs }: Verification): void {
    if (this.#verified.size >= identityLimits.verifiedTokens) {
      const [oldest] = this.#verified.keys()
      if (oldest !== undefined) this.#verified.delete(oldest)
    }
    const untilMs = expSeconds * 1_000 + this.#toleranceMs
    this.#verified.set(digestOf(token), { identity: Object.freeze(identity), keys, fromMs: nowMs, untilMs })
  }
}

/** The token itself is not kept. */
function digestOf(token: string): string {
  return hash('sha256', token, 'base64url')
}
