// The relay with a watch beside it: how long each pass took, how it came out, and which trace it belongs to.

import type { Call, Given, Outcome } from '../relay/exchange.ts'
import { Relay, type Resume } from '../relay/relay.ts'
import { tracedRequest } from './trace.ts'
import type { Watch } from './watch.ts'

export class WatchedRelay extends Relay {
  readonly #watch: Watch

  constructor(watch: Watch, ...parts: ConstructorParameters<typeof Relay>) {
    super(...parts)
    this.#watch = watch
  }

  override start(call: Call): Promise<Outcome> {
    return this.#timed(call, () => super.start(call))
  }

  override continue(call: Call, resume: Resume, given: Readonly<Record<string, Given>>): Promise<Outcome> {
    return this.#timed(call, () => super.continue(call, resume, given))
  }

  async #timed(call: Call, pass: () => Promise<Outcome>): Promise<Outcome> {
    const began = performance.now()
    const outcome = await tracedRequest(call, pass)
    this.#watch.passed(call.method, outcome.kind, performance.now() - began)
    return outcome
  }
}
