// Names that only look like the ones that decide something.
//
// Some readers match the names of members whatever their case: to them {"name":"list","Name":"drop"} is a call of "drop",
// and a question whose "Message" nobody screened is the question. So a name that such a reader would take for one of these
// is not let through, in neither direction. The arguments of tools are not looked at: their names are the tool's own.

class Deciding {
  readonly #exact: ReadonlySet<string>
  readonly #folded: ReadonlySet<string>
  readonly #longest: number

  constructor(...names: string[]) {
    this.#exact = new Set(names)
    this.#folded = new Set(names.map(fold))
    this.#longest = Math.max(...names.map((name) => name.length))
  }

  /** Whether a member of this object, if it is one, would be taken for a deciding one that it is not. */
  hasLookAlike(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return false
    return Object.keys(value).some(
      (name) => !this.#exact.has(name) && name.length <= this.#longest && this.#folded.has(fold(name)),
    )
  }
}

/** Both ways, because "ſ" becomes "s" only by way of "S", and the Kelvin sign "k" only downwards. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase()
}

export const decidingNames = {
  message: new Deciding('jsonrpc', 'id', 'method', 'params', 'result', 'error'),
  request: new Deciding('name', 'arguments', 'uri', '_meta', 'requestState', 'inputResponses'),
  result: new Deciding('resultType', 'inputRequests', 'requestState', '_meta'),
  question: new Deciding('mode', 'message', 'requestedSchema', 'url', 'elicitationId', '_meta'),
} as const
