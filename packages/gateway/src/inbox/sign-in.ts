// Who is at the browser, on a machine of one's own: a link that works once becomes a session.
//
// Neither the code of a link nor the token of a session is kept, only their hashes, and both end by themselves. They live
// in this process: after a restart a new link is needed. It knows nothing of HTTP; the cookie is the caller's.

import { createHash, randomBytes } from 'node:crypto'
import type { Person } from '@assent/core'
import { inboxLimits } from '../limits.ts'

interface Held {
  readonly person: Person
  readonly untilMs: number
}

export class SignIn {
  readonly #now: () => number
  readonly #links = new Map<string, Held>()
  readonly #sessions = new Map<string, Held>()

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** A code for one sign-in by this person, or nothing while too many are unused. */
  invite(person: Person): string | undefined {
    return this.#hold(this.#links, person, inboxLimits.linkMs, inboxLimits.links)
  }

  /** Turns a code into the token of a session. A code works once, whoever brings it. */
  redeem(code: string): string | undefined {
    const key = hashOf(code)
    const held = this.#links.get(key)
    this.#links.delete(key)
    if (held === undefined || held.untilMs <= this.#now()) return undefined
    return this.#hold(this.#sessions, held.person, inboxLimits.sessionMs, inboxLimits.sessions)
  }

  who(token: string): Person | undefined {
    const held = this.#sessions.get(hashOf(token))
    return held === undefined || held.untilMs <= this.#now() ? undefined : held.person
  }

  end(token: string): void {
    this.#sessions.delete(hashOf(token))
  }

  #hold(all: Map<string, Held>, person: Person, forMs: number, atMost: number): string | undefined {
    const now = this.#now()
    if (all.size >= atMost) for (const [key, { untilMs }] of all) if (untilMs <= now) all.delete(key)
    if (all.size >= atMost) return undefined
    const secret = randomBytes(32).toString('base64url')
    all.set(hashOf(secret), { person, untilMs: now + forMs })
    return secret
  }
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
