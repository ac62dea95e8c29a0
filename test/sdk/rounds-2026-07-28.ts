// Plays the client of revision 2026-07-28 by hand against an interactive handler, in memory.
//
// For what crosses packages and for proofs: a state can be kept, brought back twice, changed, or brought by somebody else.

export interface Round {
  readonly questions: Readonly<Record<string, { readonly message: string }>>
  /** Undefined when the call has ended. */
  readonly state: string | undefined
  readonly text: string
  /** Why it ended without its result. */
  readonly code: string | undefined
}

export interface Retry {
  readonly state?: string | undefined
  readonly answers?: Readonly<Record<string, unknown>>
  readonly sub?: string
  /** What the client declares; unless said, forms and links. */
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
    ...(sub === undefined ? {} : { http: { authInfo: { token: sub, extra: { sub } } } }),
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
