// Suggestions for misspelt names. The caller of this package compares the names.

/** The known name that is closest to a misspelt one; undefined if none is close. */
export type Nearest = (name: string, known: readonly string[]) => string | undefined

/** `Did you mean …?` for a name that is close to a known one, or else the known names. */
export function suggestedName(
  name: string,
  known: readonly string[],
  nearest: Nearest,
  others = (names: readonly string[]) => `There are ${names.join(', ')}.`,
): string {
  const meant = nearest(name, known)
  return meant === undefined ? others(known) : `Did you mean ${meant}?`
}
