// The nonces that browsers include in their signatures, and the requests made with each.
//
// Owns: this process's nonces and the ids of the requests that used them. Nothing is stored: a nonce from another
//   process, or from before a restart, is stale, so a request captured elsewhere cannot be replayed here.
// I1  A nonce is accepted until `nonceMs` after it was issued.
// I2  Under one nonce a request id is accepted once. Requests may run in parallel: each has its own id.
// I3  Only requests with a verified signature are counted; at the limit new ones are refused.

import { randomBytes } from 'node:crypto'
import { inboxLimits } from './limits.ts'

interface Nonce {
  readonly text: string
  readonly sinceMs: number
  readonly used: Set<string>
}

export class Nonces {
  readonly #now: () => number
  /** Oldest first. */
  readonly #nonces: Nonce[] = []

  /** @param now a monotonic clock in milliseconds */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The nonce for the next requests; a new one every `nonceEveryMs`. */
  current(): string {
    const now = this.#now()
    const newest = this.#nonces.at(-1)
    if (newest !== undefined && now - newest.sinceMs < inboxLimits.nonceEveryMs) return newest.text
    this.#dropOld(now)
    const text = randomBytes(16).toString('base64url')
    this.#nonces.push({ text, sinceMs: now, used: new Set() })
    return text
  }

  /** Records a verified request. False when its nonce is stale or at its limit, or the request id was used before. */
  use(text: string, requestId: string): boolean {
    this.#dropOld(this.#now())
    const nonce = this.#nonces.find((one) => one.text === text)
    if (nonce === undefined || nonce.used.has(requestId) || nonce.used.size >= inboxLimits.requestsPerNonce)
      return false
    nonce.used.add(requestId)
    return true
  }

  #dropOld(now: number): void {
    while (this.#nonces[0] !== undefined && now - this.#nonces[0].sinceMs > inboxLimits.nonceMs) this.#nonces.shift()
  }
}
