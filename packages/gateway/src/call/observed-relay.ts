// The relay with telemetry: duration, outcome and trace of each pass.

import type { RelayState } from './call-state.ts'
import { canBeAsked } from './capabilities.ts'
import { knownClient } from './clients/traits-of.ts'
import type { Answers, Call, Outcome } from './model.ts'
import { type Descriptions, Relay } from './relay.ts'
import type { Telemetry } from './telemetry-port.ts'
import { tracedRequest } from './trace.ts'

export class ObservedRelay extends Relay {
  readonly #telemetry: Telemetry

  constructor(watch: Telemetry, ...parts: ConstructorParameters<typeof Relay>) {
    super(...parts)
    this.#telemetry = watch
  }

  /** The first request of a client, in every revision. */
  override describe(call: Call): Promise<Descriptions> {
    const { info, declared } = call.client
    this.#telemetry.connected({
      client: knownClient(info)?.title,
      isSession: call.method === 'initialize',
      forms: canBeAsked(declared, 'form'),
      links: canBeAsked(declared, 'url'),
      sampling: canBeAsked(declared, 'sampling'),
      roots: canBeAsked(declared, 'roots'),
    })
    return super.describe(call)
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
