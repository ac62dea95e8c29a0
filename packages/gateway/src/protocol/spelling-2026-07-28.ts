// Detects member names that look like protocol members.
//
// Some parsers match member names case-insensitively: to them {"name":"list","Name":"drop"} calls "drop", and a
// question's "Message", which was not screened, is the message. So a name that such a parser would take for a protocol
// member is rejected in both directions. Tool arguments are not checked: their names belong to the tool.

class MemberNames {
  readonly #exact: ReadonlySet<string>
  readonly #folded: ReadonlySet<string>
  readonly #longest: number

  constructor(...names: string[]) {
    this.#exact = new Set(names)
    this.#folded = new Set(names.map(fold))
    this.#longest = Math.max(...names.map((name) => name.length))
  }

  /** Whether the value is an object with a member that only looks like one of these names. */
  hasLookAlike(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return false
    return Object.keys(value).some(
      (name) => !this.#exact.has(name) && name.length <= this.#longest && this.#folded.has(fold(name)),
    )
  }
}

/** Upper case first, because "ſ" becomes "s" only through "S", and the Kelvin sign becomes "k" only in lower case. */
function fold(name: string): string {
  return name.toUpperCase().toLowerCase()
}

export const decidingNames = {
  message: new MemberNames('jsonrpc', 'id', 'method', 'params', 'result', 'error'),
  request: new MemberNames(
    'name',
    'arguments',
    'uri',
    'ref',
    'notifications',
    '_meta',
    'requestState',
    'inputResponses',
  ),
  reference: new MemberNames('type', 'name', 'uri'),
  subscriptions: new MemberNames('resourceSubscriptions'),
  result: new MemberNames('resultType', 'inputRequests', 'requestState', '_meta'),
  question: new MemberNames('mode', 'message', 'requestedSchema', 'url', 'elicitationId', '_meta'),
} as const
