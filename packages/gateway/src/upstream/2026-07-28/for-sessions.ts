// What clients with sessions expect of a server that has none: a log level once set, resources once subscribed to.
//
// The newest revision says both with each request or stream. So they are remembered here, for each caller's connection,
// and said on its behalf. Everything else goes through as it is.

import type { JsonValue } from '@assent/core'
import { upstreamLimits } from '../../limits.ts'
import { type Call, type Description, failed, type Given, type Outcome, type Upstream } from '../../relay/exchange.ts'
import { errorCodes, type Notification, objectAt, stringAt } from '../../wire/messages.ts'

interface Remembered {
  logLevel?: string
  readonly watched: Map<string, AbortController>
  readonly listeners: Set<(notification: Notification) => void>
}

const done: Outcome = { kind: 'finished', result: {} }

export class ForSessions implements Upstream {
  readonly name: string
  readonly #upstream: Upstream
  readonly #remembered = new Map<string, Remembered>()

  constructor(upstream: Upstream) {
    this.name = upstream.name
    this.#upstream = upstream
  }

  start(call: Call): Promise<Outcome> {
    if (call.scope === '') return this.#upstream.start(call)
    switch (call.method) {
      case 'logging/setLevel':
        return this.#setLevel(call)
      case 'resources/subscribe':
        return this.#watch(call)
      case 'resources/unsubscribe':
        return this.#unwatch(call)
      default:
        return this.#upstream.start(this.#withLevel(call))
    }
  }

  continue(call: Call, resume: JsonValue, given: Readonly<Record<string, Given>>): Promise<Outcome> {
    return this.#upstream.continue(this.#withLevel(call), resume, given)
  }

  describe(call: Call): Promise<Description> {
    return this.#upstream.describe(call)
  }

  async listen(call: Call): Promise<void> {
    if (call.scope === '') return this.#upstream.listen(call)
    const { listeners } = this.#of(call)
    listeners.add(call.notify)
    await this.#upstream.listen(call)
    listeners.delete(call.notify)
  }

  leave(principal: string, scope: string): void {
    const key = keyOf(principal, scope)
    for (const watching of this.#remembered.get(key)?.watched.values() ?? []) watching.abort()
    this.#remembered.delete(key)
    this.#upstream.leave(principal, scope)
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }

  async #setLevel(call: Call): Promise<Outcome> {
    const level = stringAt(call.params, 'level')
    if (level !== undefined) this.#of(call).logLevel = level
    return done
  }

  async #watch(call: Call): Promise<Outcome> {
    const uri = stringAt(call.params, 'uri') ?? ''
    const { watched, listeners } = this.#of(call)
    if (watched.has(uri)) return done
    if (watched.size >= upstreamLimits.subscriptions)
      return failed(errorCodes.refused, `A session can watch ${upstreamLimits.subscriptions} resources.`)
    const watching = new AbortController()
    watched.set(uri, watching)
    const notify = (notification: Notification) => {
      for (const listener of listeners) listener(notification)
    }
    const params = { notifications: { resourceSubscriptions: [uri] } }
    // A server that cannot be reached now will be watched when somebody asks again.
    this.#upstream.listen({ ...call, params, notify, signal: watching.signal }).catch(() => watched.delete(uri))
    return done
  }

  async #unwatch(call: Call): Promise<Outcome> {
    const uri = stringAt(call.params, 'uri') ?? ''
    const { watched } = this.#of(call)
    watched.get(uri)?.abort()
    watched.delete(uri)
    return done
  }

  #withLevel(call: Call): Call {
    const level = this.#remembered.get(keyOf(call.principal, call.scope))?.logLevel
    if (level === undefined) return call
    const meta = { ...objectAt(call.params, '_meta'), 'io.modelcontextprotocol/logLevel': level }
    return { ...call, params: { ...call.params, _meta: meta } }
  }

  #of(call: Call): Remembered {
    const key = keyOf(call.principal, call.scope)
    let remembered = this.#remembered.get(key)
    if (remembered === undefined) {
      remembered = { watched: new Map(), listeners: new Set() }
      this.#remembered.set(key, remembered)
    }
    return remembered
  }
}

function keyOf(principal: string, scope: string): string {
  return `${principal}\n${scope}`
}
