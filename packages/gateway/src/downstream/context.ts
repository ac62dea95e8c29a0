// What every downstream adapter is given: who speaks, and the relay behind it.

import type { KeyRing } from '@assent/core'
import type { Store } from '@assent/store'
import type { Leaving } from '../fleet/leaving.ts'
import type { Mailbox } from '../fleet/mailbox.ts'
import type { Parking } from '../relay/parking.ts'
import type { Relay } from '../relay/relay.ts'
import type { Deferral } from '../surfaces/deferral.ts'
import type { Routing } from '../surfaces/routing.ts'
import type { WaitingAsks } from '../surfaces/waiting-asks.ts'

export interface Serving {
  readonly store: Store
  readonly mailbox: Mailbox
  readonly relay: Relay
  readonly parking: Parking
  readonly routing: Routing
  readonly deferral: Deferral
  readonly leaving: Leaving
  readonly waiting: WaitingAsks
  readonly keys: KeyRing
  readonly tenant: string
  readonly askWaitMs: number
  /** Headers of clients' requests that some server gets, in lower case. A reload changes them. */
  readonly forwardedHeaders: () => readonly string[]
  /** How long a request waits for the inbox before its caller is told to come back. */
  readonly holdMs: number
}
