// The relay with telemetry: duration, outcome and trace of each pass.

import type { RelayState } from './call-state.ts'
import type { Answers, Call, Outcome } from './model.ts'
import { Relay } from './relay.ts'
import type { Telemetry } from './telemetry-port.ts'
import { tracedRequest } from './trace.ts'

export class ObservedRelay extends Relay {
  readonly #telemetry: Telemetry

  constructor(watch: Telemetry, ...parts: ConstructorParameters<typeof Relay>) {
    super(...parts)
    this.#telemetry = watch
  }

  override start(call: Call): Promise<Outcome<RelayState>> {
    return this.#timed(call, () => super.start(call))
  }

  override continue(call: Call, state: RelayState, given: Answers): Promise<Outcome<RelayState>> {
    return this.#timed(call, () => super.continue(call, state, given))
  }

  async #timed(call: Call, pass: () => Promise<Outcome<RelayState>>): Promise<Outcome<RelayState>> {
    const began = performance.now()
    const outcome = await tracedRequest(call, pass)
    this.#telemetry.passed(call.method, outcome.kind, performance.now() - began)
    return outcome
  }
}
