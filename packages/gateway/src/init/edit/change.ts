// What one of our changes to a file is, and what can come of trying to make it or to take it back.
//
// A change is plain data: it is kept in the record of what was written, so that it can be taken back by a later version.

import type { JsonObject } from '@assent/core'
import type { Splice } from './splice.ts'

export type Change =
  /** One entry in a configuration that has others. */
  | {
      readonly kind: 'entry'
      readonly form: 'jsonc' | 'toml' | 'yaml'
      readonly path: readonly string[]
      readonly value: JsonObject
      /** What a new file holds beside the entry. */
      readonly fresh?: JsonObject
    }
  /** A part between two marks, in a text that has others. */
  | { readonly kind: 'block'; readonly text: string }
  /** A file that is ours alone. */
  | { readonly kind: 'file'; readonly text: string }

export type Entry = Change & { kind: 'entry' }

/** What must be known to take a change back from a text in which other things have changed since. */
export interface Remembered {
  /** How many names of the path were there before us. */
  readonly existing?: number
  /** What stood between the braces of an object that was empty. */
  readonly interior?: string
  /** What was put before ours to set it apart. */
  readonly lead?: string
}

export type Tried =
  | { readonly kind: 'change'; readonly splices: readonly Splice[]; readonly remembered: Remembered }
  /** Nothing to do: it is there already, or gone already. */
  | { readonly kind: 'nothing' }
  /** Under our name stands something that we did not write. */
  | { readonly kind: 'theirs'; readonly because: string }
  /** The file is not understood, so it is not touched. */
  | { readonly kind: 'unclear'; readonly because: string }

export const nothing: Tried = { kind: 'nothing' }

export function theirs(because: string): Tried {
  return { kind: 'theirs', because }
}

export function unclear(because: string): Tried {
  return { kind: 'unclear', because }
}
