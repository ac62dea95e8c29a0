// What every downstream adapter is given: who speaks, and the relay behind it.

import type { KeyRing } from '@assent/core'
import type { Parking } from '../relay/parking.ts'
import type { Relay } from '../relay/relay.ts'

export interface Serving {
  readonly relay: Relay
  readonly parking: Parking
  readonly keys: KeyRing
  readonly tenant: string
  readonly askWaitMs: number
}
