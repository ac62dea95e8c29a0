// Reads a member of a value of unknown shape, such as the context that an MCP SDK passes: also of an instance of a class.

export function memberOf(holder: unknown, name: string): unknown {
  if (typeof holder !== 'object' || holder === null) return undefined
  return (holder as Readonly<Record<string, unknown>>)[name]
}
