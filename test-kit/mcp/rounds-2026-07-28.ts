// A hand-written client of revision 2026-07-28 for an interactive handler, in memory.
//
// For tests across packages and for proofs: a state can be stored, sent twice, changed, or sent by another person.

export interface Round {
  readonly questions: Readonly<Record<string, { readonly message: string }>>
  /** Undefined if the call has ended. */
  readonly state: string | undefined
  readonly text: string
  /** Why it ended without its result. */
  readonly code: string | undefined
}

export interface Retry {
  readonly state?: string | undefined
  readonly answers?: Readonly<Record<string, unknown>>
  readonly sub?: string
  /** The declared capabilities; by default forms and links. */
  readonly elicitation?: object | null
}

const noSignal = new AbortController().signal

export function contextOf({ state, answers, sub, elicitation = { form: {}, url: {} } }: Retry): object {
  return {
    mcpReq: {
      id: 1,
      method: 'tools/call',
      envelope: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': elicitation === null ? {} : { elicitation },
      },
      inputResponses: answers,
      requestState: () => state,
      signal: noSignal,
    },
    ...(sub === undefined ? {} : { http: { authInfo: { token: `token of ${sub}`, extra: { sub } } } }),
  }
}

interface Result {
  readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly message: string } }>>
  readonly requestState?: string
  readonly content?: readonly { readonly text: string }[]
  readonly _meta?: { readonly 'assent/refusal'?: { readonly code: string } }
}

export function roundOf(result: unknown): Round {
  const { inputRequests = {}, requestState, content, _meta } = result as Result
  return {
    questions: Object.fromEntries(Object.entries(inputRequests).map(([key, { params }]) => [key, params])),
    state: requestState,
    text: content?.[0]?.text ?? '',
    code: _meta?.['assent/refusal']?.code,
  }
}
