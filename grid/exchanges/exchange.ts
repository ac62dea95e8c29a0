// One exchange between a client and a server, as data, and the context it runs in.

import type { Caller, Seen } from '../compare/caller.ts'
import type { Generation } from '../messages.ts'
import type { Names } from './names.ts'

export interface ExchangeContext {
  readonly caller: Caller
  readonly names: Names
  readonly server: Generation
  /** Notes how a request ended. */
  seen(seen: Seen): void
  note(value: unknown): void
  /** The entries of the server's journal. */
  effects(): readonly string[]
}

export interface Exchange {
  readonly name: string
  readonly run: (context: ExchangeContext) => Promise<void>
  /** Clients and servers that support it; by default all. */
  readonly clients?: readonly Generation[]
  readonly servers?: readonly Generation[]
}
