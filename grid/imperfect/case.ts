// One imperfect server or client, as data: who it is, and what is done with it.

import type { Generation } from '../messages.ts'
import type { Visit } from './visit.ts'

export type Play = (visit: Visit) => Promise<void>

export interface Case {
  readonly name: string
  /** The generation of the server. Its own clients are the reference. */
  readonly server: Generation
  /** The imperfect server; where none is named, a server of the official SDK, and the client is the imperfect one. */
  readonly quirk?: string
  readonly transport: 'stdio' | 'http' | 'sse'
  readonly play: Play
  /** Clients that it is compared for; both unless named. */
  readonly clients?: readonly Generation[]
  /** Played in the quick form too. */
  readonly quick?: true
}
