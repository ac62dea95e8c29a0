// A client in memory: as much of one as a handler can notice.

import type { ScriptedPerson } from './person.ts'

/** What `interactive(…)` made of a tool. */
export type ToolHandler = (...received: never[]) => Promise<unknown>

export interface ClientOptions {
  readonly person: ScriptedPerson
  /** What the client declares that it can show. */
  readonly shows: { readonly form: boolean; readonly url: boolean }
  /** How long the tool is given to give up on a person who never answers. */
  readonly patienceMs: number
}

export interface Called {
  /** Undefined when the call was still open at the end of patience. */
  readonly result: unknown
  /** How often the handler was run. */
  readonly runs: number
}

export function received(args: unknown, context: object): never[] {
  return (args === undefined ? [context] : [args, context]) as never[]
}
