// A change to a file, and the possible results of applying or undoing it.
//
// A change is plain data: it is stored in the init record, so that a later version can undo it.

import type { JsonObject } from '@assent/core'
import type { Splice } from './splice.ts'

export type Change =
  /** One entry in a shared configuration file. */
  | {
      readonly kind: 'entry'
      readonly form: 'jsonc' | 'toml' | 'yaml'
      readonly path: readonly string[]
      readonly value: JsonObject
      /** Further content, if the file is new. */
      readonly fresh?: JsonObject
    }
  /** A block between two markers in a shared text file. */
  | { readonly kind: 'block'; readonly text: string }
  /** A whole file that only Assent writes. */
  | { readonly kind: 'file'; readonly text: string }
  /** A custom agent that somebody else wrote: our tools in its list, in place of its stops, and a block at its end. */
  | { readonly kind: 'agent'; readonly text: string }

export type EntryChange = Change & { kind: 'entry' }

/** What is needed to undo a change in a text that was edited since. */
export interface Remembered {
  /** How many levels of the path existed before the change. */
  readonly existing?: number
  /** The whitespace and comments inside an object that had no entries. */
  readonly interior?: string
  /** The line breaks inserted before our text to separate it. */
  readonly lead?: string
  /** The texts that were replaced in an agent. */
  readonly pieces?: readonly Piece[]
}

/** A text that was removed, and the one that was inserted in its place. */
export interface Piece {
  readonly out: string
  readonly in: string
}

export type Tried =
  | { readonly kind: 'change'; readonly splices: readonly Splice[]; readonly remembered: Remembered }
  /** Nothing to do: already applied, or already undone. */
  | { readonly kind: 'nothing' }
  /** An entry with our name exists that init did not write, or that was edited since. */
  | { readonly kind: 'theirs'; readonly because: string }
  /** The file cannot be parsed or edited safely, so it is not changed. */
  | { readonly kind: 'unclear'; readonly because: string }

export const nothing: Tried = { kind: 'nothing' }

export function theirs(because: string): Tried {
  return { kind: 'theirs', because }
}

export function unclear(because: string): Tried {
  return { kind: 'unclear', because }
}
