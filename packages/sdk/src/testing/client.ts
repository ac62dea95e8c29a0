// An in-memory client: only what a handler can observe of one.

import type { ScriptedPerson } from './person.ts'

/** A tool handler made by `interactive(…)`. */
export type ToolHandler = (...received: never[]) => Promise<unknown>

export interface ClientOptions {
  readonly person: ScriptedPerson
  /** What the client declares that it can show. */
  readonly shows: { readonly form: boolean; readonly url: boolean }
  /** How long to wait for the tool if a person never answers. */
  readonly timeoutMs: number
}

export interface CallOutcome {
  /** Undefined when the call was still open when the timeout passed. */
  readonly result: unknown
  /** How often the handler was run. */
  readonly runs: number
}

export function handlerArguments(args: unknown, context: object): never[] {
  return (args === undefined ? [context] : [args, context]) as never[]
}
