// Leaves out what was not said, so that things which mean the same are equal and encode the same.

type Said<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** For objects written out in our own code only: their names are known to be harmless. */
export function said<const T extends object>(parts: T): Said<T> {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(parts)) {
    if (value !== undefined) kept[name] = value
  }
  return kept as Said<T>
}
