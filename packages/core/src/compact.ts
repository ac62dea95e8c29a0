// Removes undefined members, so that equal forms compare equal and encode the same.

type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Only for object literals in our own code: names from outside could be `__proto__`. */
export function compact<const T extends object>(parts: T): Compact<T> {
  const result: Record<string, unknown> = {}
  // Called several times for each request, so no pairs are made.
  for (const name of Object.keys(parts)) {
    const value: unknown = parts[name as keyof T]
    if (value !== undefined) result[name] = value
  }
  return result as Compact<T>
}
