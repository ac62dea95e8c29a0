// What every client adapter is given: the store, the relay and the services around them, for one tenant.

import type { KeyRing } from '@assent/core'
import type { Store } from '@assent/store'
import type { DeferredCalls } from '../call/hold/deferred-calls.ts'
import type { HeldCalls } from '../call/hold/held-calls.ts'
import type { ToOthers } from '../call/hold/remote-calls.ts'
import type { Call } from '../call/model.ts'
import type { Relay } from '../call/relay.ts'
import type { Routing } from '../call/route/routing.ts'
import type { WaitingAsks } from '../call/route/waiting-asks.ts'
import type { Shutdown } from '../call/shutdown.ts'

export interface Serving {
  readonly store: Store
  /** The id of this replica. */
  readonly replica: string
  /** How other replicas are reached; undefined for a process that is the only one. */
  readonly others: ToOthers | undefined
  /** Registers a task that runs after this replica's lease had ended: others may have taken over what it served. */
  readonly onLapse: (task: () => Promise<void>) => void
  /** Whether sessions survive a lost connection, or the loss of their replica. */
  readonly resumes: boolean
  /** Whether the server of a call keeps state for its client, so that all its calls must reach the same replica. */
  readonly keepsState: (call: Call) => Promise<boolean>
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
