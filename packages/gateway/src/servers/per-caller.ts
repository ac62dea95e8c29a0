// The resources of each caller at one server: a process, or a session pool. A caller is one client session; for clients
// without sessions, one program of one person.

import type { Call } from '../call/model.ts'
import { serverLimits } from '../limits.ts'

interface Kept {
  /** No request of the caller is in progress. */
  readonly isIdle: boolean
  readonly lastUsedMs: number
  close(): void
}

export class PerCaller<Value extends Kept> {
  /** `programOf` is the person of a program without a session; undefined for a client session. */
  readonly #values = new Map<string, { readonly value: Value; readonly programOf: string | undefined }>()
  readonly #sweep: NodeJS.Timeout

  constructor() {
    this.#sweep = setInterval(() => this.#closeIdle(), serverLimits.idleLookMs)
    this.#sweep.unref()
  }

  /** @param variant distinguishes several values of one program */
  get({ principal, scope, agent = '' }: Call, variant: unknown, make: () => Value): Value {
    const hasSession = scope !== ''
    const key = keyOf(principal, hasSession ? scope : { agent, variant })
    const known = this.#values.get(key)
    if (known !== undefined) return known.value
    if (!hasSession) this.#makeRoom(principal)
    const value = make()
    this.#values.set(key, { value, programOf: hasSession ? undefined : principal })
    return value
  }

  /** Removes a value that is no longer usable. The next call creates another one. */
  remove(value: Value): void {
    for (const [key, one] of this.#values) if (one.value === value) this.#values.delete(key)
  }

  /** The client's session has ended: closes what was opened for it. */
  leave(principal: string, scope: string): void {
    this.#close(keyOf(principal, scope))
  }

  /** The value of this client session, if there is one. */
  of(principal: string, scope: string): Value | undefined {
    return this.#values.get(keyOf(principal, scope))?.value
  }

  close(): void {
    clearInterval(this.#sweep)
    for (const key of [...this.#values.keys()]) this.#close(key)
  }

  /** A program without a session does not report when it ends, so its idle values are closed. */
  #closeIdle(): void {
    const before = performance.now() - serverLimits.idleMs
    for (const [key, { value, programOf }] of this.#values) {
      if (programOf !== undefined && value.isIdle && value.lastUsedMs <= before) this.#close(key)
    }
  }

  /** Limits the values per person: a program that changes its name with each call would get a process each time. */
  #makeRoom(principal: string): void {
    const own = [...this.#values].filter(([, { programOf }]) => programOf === principal)
    if (own.length < serverLimits.agents) return
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
