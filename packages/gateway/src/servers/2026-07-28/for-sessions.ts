// Gives clients with sessions what they expect of a server without sessions: a lasting log level and subscriptions.
//
// The newest revision sends both with each request or stream. So this adapter stores them per caller session, and adds
// them to the requests. Everything else is passed on unchanged.

import {
  type Answers,
  type Call,
  type Description,
  failed,
  type Outcome,
  type ServerState,
  type Upstream,
} from '../../call/model.ts'
import { serverLimits } from '../../limits.ts'
import { compoundKey } from '../../protocol/compound-key.ts'
import { errorCodes, type Notification, objectAt, stringAt } from '../../protocol/messages.ts'

interface SessionState {
  logLevel?: string
  readonly subscriptions: Map<string, AbortController>
  readonly listeners: Set<(notification: Notification) => void>
}

const done: Outcome = { kind: 'finished', result: {} }

export class ForSessions implements Upstream {
  readonly name: string
  readonly #upstream: Upstream
  readonly #sessions = new Map<string, SessionState>()

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
        return this.#subscribe(call)
      case 'resources/unsubscribe':
        return this.#unsubscribe(call)
      default:
        return this.#upstream.start(this.#withLevel(call))
    }
  }

  continue(call: Call, state: ServerState, given: Answers): Promise<Outcome> {
    return this.#upstream.continue(this.#withLevel(call), state, given)
  }

  describe(call: Call): Promise<Description> {
    return this.#upstream.describe(call)
  }

  async listen(call: Call): Promise<void> {
    if (call.scope === '') return this.#upstream.listen(call)
    const { listeners } = this.#of(call)
    listeners.add(call.notify)
    try {
      await this.#upstream.listen(call)
    } finally {
      listeners.delete(call.notify)
    }
  }

  leave(principal: string, scope: string): void {
    const key = keyOf(principal, scope)
    for (const stop of this.#sessions.get(key)?.subscriptions.values() ?? []) stop.abort()
    this.#sessions.delete(key)
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

  async #subscribe(call: Call): Promise<Outcome> {
    // A session that has ended does not unsubscribe, so its subscription would never end.
    if (call.signal.aborted) return failed(errorCodes.refused, 'The caller disconnected.')
    const uri = stringAt(call.params, 'uri') ?? ''
    const { subscriptions, listeners } = this.#of(call)
    if (subscriptions.has(uri)) return done
    if (subscriptions.size >= serverLimits.subscriptions)
      return failed(errorCodes.refused, `A session can subscribe to at most ${serverLimits.subscriptions} resources.`)
    const stop = new AbortController()
    subscriptions.set(uri, stop)
    const notify = (notification: Notification) => {
      for (const listener of listeners) listener(notification)
    }
    const params = { notifications: { resourceSubscriptions: [uri] } }
    // If the server is unreachable or ended the stream, the next subscribe request tries again.
    const over = () => {
      if (subscriptions.get(uri) === stop) subscriptions.delete(uri)
    }
    this.#upstream.listen({ ...call, params, notify, signal: stop.signal }).then(over, over)
    return done
  }

  async #unsubscribe(call: Call): Promise<Outcome> {
    const uri = stringAt(call.params, 'uri') ?? ''
    const { subscriptions } = this.#of(call)
    subscriptions.get(uri)?.abort()
    subscriptions.delete(uri)
    return done
  }

  #withLevel(call: Call): Call {
    const level = this.#sessions.get(keyOf(call.principal, call.scope))?.logLevel
    if (level === undefined) return call
    const meta = { ...objectAt(call.params, '_meta'), 'io.modelcontextprotocol/logLevel': level }
    return { ...call, params: { ...call.params, _meta: meta } }
  }

  #of(call: Call): SessionState {
    const key = keyOf(call.principal, call.scope)
    let state = this.#sessions.get(key)
    if (state === undefined) {
      state = { subscriptions: new Map(), listeners: new Set() }
      this.#sessions.set(key, state)
    }
    return state
  }
}

function keyOf(principal: string, scope: string): string {
  return compoundKey(principal, scope)
}
