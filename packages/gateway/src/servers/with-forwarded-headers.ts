// A server whose requests carry the configured headers of the client request that caused them.

import type { Answers, Call, Description, Outcome, ServerState, Upstream } from '../call/model.ts'
import type { Notification } from '../protocol/messages.ts'
import type { ForwardedHeaders } from './forwarded-headers.ts'

export class WithForwardedHeaders implements Upstream {
  readonly name: string
  readonly #upstream: Upstream
  readonly #headers: ForwardedHeaders

  constructor(upstream: Upstream, headers: ForwardedHeaders) {
    this.name = upstream.name
    this.#upstream = upstream
    this.#headers = headers
  }

  start(call: Call): Promise<Outcome> {
    return this.#headers.during(call, () => this.#upstream.start(call))
  }

  continue(call: Call, state: ServerState, given: Answers): Promise<Outcome> {
    return this.#headers.during(call, () => this.#upstream.continue(call, state, given))
  }

  describe(call: Call): Promise<Description> {
    return this.#headers.during(call, () => this.#upstream.describe(call))
  }

  listen(call: Call): Promise<void> {
    return this.#headers.during(call, () => this.#upstream.listen(call))
  }

  notify(call: Call, notification: Notification): void {
    void this.#headers.during(call, async () => this.#upstream.notify?.(call, notification))
  }

  leave(principal: string, scope: string): void {
    this.#upstream.leave(principal, scope)
  }

  close(): Promise<void> {
    return this.#upstream.close()
  }
}
