// One exchange of a client with one server, as data, and what it may use.

import type { Caller, Seen } from '../compare/caller.ts'
import type { Generation } from '../messages.ts'
import type { Names } from './names.ts'

export interface Stage {
  readonly caller: Caller
  readonly names: Names
  readonly server: Generation
  /** Notes how a request ended. */
  seen(seen: Seen): void
  note(value: unknown): void
  /** What the server wrote down. */
  effects(): readonly string[]
}

export interface Exchange {
  readonly name: string
  readonly run: (stage: Stage) => Promise<void>
  /** Clients and servers that have it; all of them unless named. */
  readonly clients?: readonly Generation[]
  readonly servers?: readonly Generation[]
}
