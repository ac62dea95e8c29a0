// JSON Schemas that are checked against the types they describe.
//
// `shape<T>` compiles only with exactly the properties of `T`, each with its type and optionality. So core's types are the
// one source of the API's shapes, and the published description cannot differ from them.

declare const described: unique symbol

/** Invariant in `T`: a missing or additional enum value is an error too. */
export interface Schema<T> {
  readonly [described]?: (value: T) => T
}

interface Optional<T> {
  readonly optional: Schema<T>
}

type Property<T, Key extends keyof T> =
  Partial<Pick<T, Key>> extends Pick<T, Key>
    ? Optional<Required<T>[Key]> | ([Required<T>[Key]] extends [string] ? Optional<string> : never)
    : // A type that lists its values may also be described as any string.
      Schema<T[Key]> | ([T[Key]] extends [string] ? Schema<string> : never)

type Properties<T> = { readonly [Key in keyof T]-?: Property<T, Key> }

/** A schema written by hand: nothing checks it against `T`. */
export function unchecked<T>(schema: object): Schema<T> {
  return schema
}

export const textSchema: Schema<string> = unchecked({ type: 'string' })
export const boolean: Schema<boolean> = unchecked({ type: 'boolean' })
export const integer: Schema<number> = unchecked({ type: 'integer' })
export const countSchema: Schema<number> = unchecked({ type: 'integer', minimum: 0 })
export const time: Schema<number> = unchecked({ type: 'integer', description: 'Milliseconds since 1970.' })

export function optionalSchema<T>(schema: Schema<T>): Optional<T> {
  return { optional: schema }
}

export function listSchema<T>(items: Schema<T>): Schema<readonly T[]> {
  return unchecked({ type: 'array', items })
}

export function oneOf<const T extends string>(...values: readonly T[]): Schema<T> {
  return unchecked({ type: 'string', enum: values })
}

export function shape<T>(properties: Properties<NoInfer<T>>): Schema<T> {
  const entries: readonly (readonly [string, object])[] = Object.entries(properties)
  return unchecked({
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, one]) => [name, isOptional(one) ? one.optional : one])),
    required: entries.filter(([, one]) => !isOptional(one)).map(([name]) => name),
  })
}

/** A union discriminated by `kind`; its other properties are not described. */
export function variants<T extends { readonly kind: string }>(kinds: Schema<T['kind']>, more: object = {}): Schema<T> {
  return unchecked({ type: 'object', required: ['kind', ...Object.keys(more)], properties: { kind: kinds, ...more } })
}

function isOptional(property: object): property is { readonly optional: object } {
  return 'optional' in property
}
