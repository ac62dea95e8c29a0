// Which tools of a server are offered, and under which names: the settings `tools.allow`, `tools.deny` and
// `tools.rename`.
//
// Pure. Patterns are compared with the name that the server itself uses, so renaming a tool never makes it allowed.

export interface ToolRules {
  /** Patterns; a tool that matches none is not offered. */
  readonly allow: readonly string[]
  /** Patterns; a tool that matches one is not offered, even if it is allowed. */
  readonly deny: readonly string[]
  /** The name for clients, by the server's name. */
  readonly rename: Readonly<Record<string, string>>
}

export const everyTool: ToolRules = { allow: ['*'], deny: [], rename: {} }

export function isOffered({ allow, deny }: ToolRules, tool: string): boolean {
  return allow.some((pattern) => matches(pattern, tool)) && !deny.some((pattern) => matches(pattern, tool))
}

/**
 * Whether a name matches a pattern in which `*` matches any text, also none. Not a regular expression: with several
 * stars it takes very long for a long name.
 */
export function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return name === pattern
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false
  let at = first.length
  const end = name.length - last.length
  for (const part of rest) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
