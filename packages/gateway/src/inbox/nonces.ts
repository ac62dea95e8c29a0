// The nonces that browsers put under their signatures, and the requests that were made with each.
//
// Owns: this process's nonces and the ids of the requests that used them. Nothing is stored: a nonce of another process,
//   or of this one before it was started anew, is stale, so that a request that was captured elsewhere works nowhere.
// I1  A nonce is accepted until `nonceMs` after it was first handed out.
// I2  Under one nonce a request id is accepted once. Requests may run in parallel: each has an id of its own.
// I3  Only requests whose signature was verified are counted; at the limit new ones are refused.

import { randomBytes } from 'node:crypto'
import { inboxLimits } from '../limits.ts'

interface Nonce {
  readonly text: string
  readonly sinceMs: number
  readonly used: Set<string>
}

export class Nonces {
  readonly #now: () => number
  /** The newest last. */
  readonly #nonces: Nonce[] = []

  /** @param now milliseconds that never go back */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The nonce for the next requests; the same one for a while. */
  current(): string {
    const now = this.#now()
    const newest = this.#nonces.at(-1)
    if (newest !== undefined && now - newest.sinceMs < inboxLimits.nonceEveryMs) return newest.text
    this.#dropOld(now)
    const text = randomBytes(16).toString('base64url')
    this.#nonces.push({ text, sinceMs: now, used: new Set() })
    return text
  }

  /** Counts a verified request. False when its nonce is stale, or the request was made before. */
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
