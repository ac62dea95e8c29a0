// The type of the arguments that a person approves.

import type { JsonValue } from '@assent/core'

/** An object of JSON values, also one that is typed by an `interface`; optional members may be missing. */
export type JsonMembers<T> = { readonly [N in keyof T]: JsonLike<T[N]> }

type JsonLike<T> = T extends JsonValue | undefined
  ? T
  : T extends (...given: never[]) => unknown
    ? never
    : T extends object
      ? JsonMembers<T>
      : never
