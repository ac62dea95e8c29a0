// What every client adapter is given: the store, the relay and the services around them, for one tenant.

import type { KeyRing } from '@assent/core'
import type { Store } from '@assent/store'
import type { DeferredCalls } from '../call/hold/deferred-calls.ts'
import type { HeldCalls } from '../call/hold/held-calls.ts'
import type { Relay } from '../call/relay.ts'
import type { Routing } from '../call/route/routing.ts'
import type { WaitingAsks } from '../call/route/waiting-asks.ts'
import type { Shutdown } from '../call/shutdown.ts'
import type { Mailbox } from '../cluster/mailbox.ts'

export interface Serving {
  readonly store: Store
  readonly mailbox: Mailbox
  readonly relay: Relay
  readonly heldCalls: HeldCalls
  readonly routing: Routing
  readonly deferredCalls: DeferredCalls
  readonly shutdown: Shutdown
  readonly waiting: WaitingAsks
  readonly keys: KeyRing
  readonly tenant: string
  readonly askWaitMs: number
  /** Headers of client requests that are forwarded to some server, in lower case. A reload may change them. */
  readonly forwardedHeaders: () => readonly string[]
  /** How long a request waits for the inbox before its caller is asked to retry. */
  readonly holdMs: number
}
