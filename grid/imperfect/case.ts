// One imperfect server or client, as data: how it differs and what is done with it.

import type { Generation } from '../messages.ts'
import type { Visit } from './visit.ts'

export type Play = (visit: Visit) => Promise<void>

export interface Case {
  readonly name: string
  /** The generation of the server. Its own clients are the reference. */
  readonly server: Generation
  /** The imperfect server. Without one, the server is an official SDK server and the client is imperfect. */
  readonly quirk?: string
  readonly transport: 'stdio' | 'http' | 'sse'
  readonly play: Play
  /** Clients that it is compared for; by default both. */
  readonly clients?: readonly Generation[]
  /** Also runs in the quick form. */
  readonly quick?: true
}
