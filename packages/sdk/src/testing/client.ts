// An in-memory client: only what a handler can observe of one.

import type { ScriptedPerson } from './person.ts'

export interface ClientOptions {
  readonly person: ScriptedPerson
  /** What the client declares that it can show. */
  readonly shows: { readonly form: boolean; readonly url: boolean }
  /** How long to wait for the tool if a person never answers. */
  readonly timeoutMs: number
  /** How many rounds with new questions the client takes part in. */
  readonly maxRounds: number
  /** Sends every answer in a round of its own. */
  readonly replayAlways: boolean
}

export interface CallOutcome {
  /** Undefined when the call was still open when the timeout passed. */
  readonly result: unknown
  /** How often the handler was run. */
  readonly runs: number
}
