// The relay with telemetry: duration, outcome and trace of each pass.

import type { Call, InputResponse, Outcome } from './model.ts'
import { Relay } from './relay.ts'
import type { RelayState } from './relay-state.ts'
import type { Telemetry } from './telemetry-port.ts'
import { tracedRequest } from './trace.ts'

export class ObservedRelay extends Relay {
  readonly #telemetry: Telemetry

  constructor(watch: Telemetry, ...parts: ConstructorParameters<typeof Relay>) {
    super(...parts)
    this.#telemetry = watch
  }

  override start(call: Call): Promise<Outcome> {
    return this.#timed(call, () => super.start(call))
  }

  override continue(call: Call, resume: RelayState, given: Readonly<Record<string, InputResponse>>): Promise<Outcome> {
    return this.#timed(call, () => super.continue(call, resume, given))
  }

  async #timed(call: Call, pass: () => Promise<Outcome>): Promise<Outcome> {
    const began = performance.now()
    const outcome = await tracedRequest(call, pass)
    this.#telemetry.passed(call.method, outcome.kind, performance.now() - began)
    return outcome
  }
}
