// The type of the arguments that a person approves.

import type { JsonValue } from '@assent/core'

/**
 * An object of JSON values, also one that is typed by an `interface`. Optional members may be missing; a member that is always
 * there must not be undefined, because an approval shows and covers JSON only.
 */
export type JsonMembers<T> = {
  readonly [N in keyof T]: JsonLike<IsOptional<T, N> extends true ? T[N] : Exclude<T[N], undefined>>
}

type IsOptional<T, N extends keyof T> = Partial<Pick<T, N>> extends Pick<T, N> ? true : false

type JsonLike<T> = T extends JsonValue | undefined
  ? T
  : T extends (...given: never[]) => unknown
    ? never
    : T extends object
      ? JsonMembers<T>
      : never
