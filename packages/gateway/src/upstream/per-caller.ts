// What each caller has with one server: a process or the sessions of one client's session; where the client has no session,
// of one program of one person.

import { upstreamLimits } from '../limits.ts'
import type { Call } from '../relay/exchange.ts'

interface Kept {
  /** Nothing of the caller's is in progress on it. */
  readonly isIdle: boolean
  readonly lastUsedMs: number
  close(): void
}

export class PerCaller<Value extends Kept> {
  readonly #values = new Map<string, { readonly value: Value; readonly agentOf: string | undefined }>()
  readonly #sweep: NodeJS.Timeout

  constructor() {
    this.#sweep = setInterval(() => this.#closeIdle(), upstreamLimits.idleLookMs)
    this.#sweep.unref()
  }

  /** @param variant tells what one program has several of */
  get({ principal, scope, agent = '' }: Call, variant: unknown, make: () => Value): Value {
    const hasSession = scope !== ''
    const key = keyOf(principal, hasSession ? scope : { agent, variant })
    const known = this.#values.get(key)
    if (known !== undefined) return known.value
    if (!hasSession) this.#makeRoom(principal)
    const value = make()
    this.#values.set(key, { value, agentOf: hasSession ? undefined : principal })
    return value
  }

  /** Lets go of what is of no use any more. The next call makes another. */
  forget(value: Value): void {
    for (const [key, one] of this.#values) if (one.value === value) this.#values.delete(key)
  }

  /** The client's session has ended, and what was opened for it ends with it. */
  leave(principal: string, scope: string): void {
    this.#close(keyOf(principal, scope))
  }

  /** What belongs to this client's session, if there is anything. */
  of(principal: string, scope: string): Value | undefined {
    return this.#values.get(keyOf(principal, scope))?.value
  }

  close(): void {
    clearInterval(this.#sweep)
    for (const key of [...this.#values.keys()]) this.#close(key)
  }

  /** A program without a session does not say when it leaves. */
  #closeIdle(): void {
    const before = performance.now() - upstreamLimits.idleMs
    for (const [key, { value, agentOf }] of this.#values) {
      if (agentOf !== undefined && value.isIdle && value.lastUsedMs <= before) this.#close(key)
    }
  }

  /** A caller that gives another name with each call would get a process with each. */
  #makeRoom(principal: string): void {
    const own = [...this.#values].filter(([, { agentOf }]) => agentOf === principal)
    if (own.length < upstreamLimits.agents) return
    const idle = own.find(([, { value }]) => value.isIdle)
    if (idle === undefined) throw new Error('Too many programs of this caller use this server.')
    this.#close(idle[0])
  }

  #close(key: string): void {
    const known = this.#values.get(key)
    this.#values.delete(key)
    known?.value.close()
  }
}

function keyOf(principal: string, owner: string | object): string {
  return JSON.stringify([principal, owner])
}
