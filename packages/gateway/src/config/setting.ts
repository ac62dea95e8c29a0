// How the settings are described: a tree of values, groups and maps with names that the operator chooses.
//
// The reader, the JSON Schema, docs/reference/settings.md and the names of the environment variables are all derived from this
// description, so they cannot differ.

import type { JsonObject } from '@assent/core'
import type { Scalar, ValueKind } from './kinds.ts'
import type { ConfigLocation } from './problem.ts'
import type { ConfigNode } from './source.ts'

interface Described {
  /** One or two sentences in Markdown, for docs/reference/settings.md and for editors. */
  readonly about: string
}

export interface Leaf<T> extends Described {
  readonly node: 'leaf'
  readonly kind: ValueKind<NonNullable<T>>
  readonly fallback: T
  /** How docs/reference/settings.md shows the default if it is not a plain value. */
  readonly fallbackWords?: string
  readonly isRequired: boolean
  /** Never shown in an error, a log or a report. */
  readonly isSecret: boolean
}

export interface List<T> extends Described {
  readonly node: 'list'
  readonly kind: ValueKind<T>
  readonly fallback: readonly T[]
  readonly fallbackWords?: string
  readonly isSecret: boolean
  /** A single value may be written without brackets; an empty list is a mistake. */
  readonly allowsOne: boolean
}

/** A list of groups, such as policies. */
export interface Records<M extends Members> extends Described {
  readonly node: 'records'
  readonly members: M
  /** Exactly one of these must be given in each item. */
  readonly either: readonly (keyof M & string)[]
}

/** One item of a list of groups, with its path for messages. */
export interface RecordRead<T> {
  readonly path: string
  readonly value: T
}

/** A value with a form of its own, such as the conditions of a policy. */
export interface Custom<T> extends Described {
  readonly node: 'custom'
  /** What to write, for docs/reference/settings.md. */
  readonly words: string
  readonly schema: JsonObject
  readonly fallback: T
  read(written: ConfigNode, reader: CustomReader): T
}

export interface CustomReader {
  /** @param inside names below the setting */
  report(inside: readonly string[], place: ConfigLocation, words: string, suggestion?: string): undefined
  /** The value with its references resolved; undefined if that fails, which is reported. */
  resolved(inside: readonly string[], raw: Scalar, place: ConfigLocation): Scalar | undefined
}

export interface Group<M extends Members> extends Described {
  readonly node: 'group'
  readonly members: M
  /** Exactly one of these must be given. */
  readonly either: readonly (keyof M & string)[]
}

/** A group that may be missing as a whole, such as identity. */
export interface OptionalGroup<M extends Members> extends Described {
  readonly node: 'optional-group'
  readonly members: M
  /** The member that a list stands for, where one is written instead of the group. */
  readonly listMember?: keyof M & string
}

export interface Named<S extends Setting> extends Described {
  readonly node: 'named'
  readonly of: S
  readonly names: RegExp
  readonly nameWords: string
  readonly isSecret: boolean
}

export type Members = Readonly<Record<string, Setting>>
export type Setting =
  // biome-ignore lint/suspicious/noExplicitAny: a tree holds settings of every type; each keeps its own where it is used
  Leaf<any> | List<any> | Group<any> | OptionalGroup<any> | Named<any> | Records<any> | Custom<any>

export type ValueOf<S> =
  S extends Leaf<infer T>
    ? T
    : S extends List<infer T>
      ? readonly T[]
      : S extends Group<infer M>
        ? MembersOf<M>
        : S extends OptionalGroup<infer M>
          ? MembersOf<M> | undefined
          : S extends Named<infer N>
            ? Readonly<Record<string, ValueOf<N>>>
            : S extends Records<infer M>
              ? readonly RecordRead<MembersOf<M>>[]
              : S extends Custom<infer T>
                ? T
                : never

type MembersOf<M> = { readonly [K in keyof M]: ValueOf<M[K]> }

type Extras = { readonly isSecret?: boolean; readonly fallbackWords?: string }

/** A value with a default. */
export function value<T>(kind: ValueKind<T>, fallback: T, about: string, extras: Extras = {}): Leaf<T> {
  return {
    node: 'leaf',
    kind: kind as ValueKind<NonNullable<T>>,
    fallback,
    about,
    isRequired: false,
    isSecret: false,
    ...extras,
  }
}

export function optional<T>(kind: ValueKind<T>, about: string, extras: Extras = {}): Leaf<T | undefined> {
  const leaf = { node: 'leaf', fallback: undefined, about, isRequired: false, isSecret: false, ...extras } as const
  return { ...leaf, kind: kind as ValueKind<NonNullable<T>> }
}

export function required<T>(kind: ValueKind<T>, about: string, extras: Extras = {}): Leaf<T> {
  const leaf = { node: 'leaf', about, isRequired: true, isSecret: false, ...extras } as const
  // Never used: a missing required setting is a mistake, and the gateway does not start with one.
  return { ...leaf, kind: kind as ValueKind<NonNullable<T>>, fallback: undefined as T }
}

export function list<T>(
  kind: ValueKind<T>,
  fallback: readonly NoInfer<T>[],
  about: string,
  extras: Extras & { readonly allowsOne?: boolean } = {},
): List<T> {
  return { node: 'list', kind, fallback, about, isSecret: false, allowsOne: false, ...extras }
}

export function records<M extends Members>(
  about: string,
  members: M,
  either: readonly (keyof M & string)[] = [],
): Records<M> {
  return { node: 'records', members, about, either }
}

export function group<M extends Members>(
  about: string,
  members: M,
  either: readonly (keyof M & string)[] = [],
): Group<M> {
  return { node: 'group', members, about, either }
}

export function optionalGroup<M extends Members>(
  about: string,
  members: M,
  extras: { readonly listMember?: keyof M & string } = {},
): OptionalGroup<M> {
  return { node: 'optional-group', members, about, ...extras }
}

export function named<S extends Setting>(
  of: S,
  names: { readonly pattern: RegExp; readonly words: string },
  about: string,
  { isSecret = false }: { readonly isSecret?: boolean } = {},
): Named<S> {
  return { node: 'named', of, names: names.pattern, nameWords: names.words, about, isSecret }
}

/** The variable that overrides the setting at this path. */
export function variableOf(path: readonly string[]): string {
  return ['ASSENT', ...path].join('_').toUpperCase()
}
