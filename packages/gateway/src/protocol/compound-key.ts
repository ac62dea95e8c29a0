/** A map key of several texts. Different texts never have the same key, whatever characters they contain. */
export function compoundKey(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}
