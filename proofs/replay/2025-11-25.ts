// Calls a handler as a server of SDK 2.x does for a client of revision 2025-11-25: once, with questions during the call.

import { answerTo } from './person.ts'
import type { Program } from './program.ts'

export interface Modes {
  readonly form?: object
  readonly url?: object
}

/** A server stub that has only the client's capabilities. */
export function serverOf(elicitation: Modes | undefined): object {
  return { getClientCapabilities: () => (elicitation === undefined ? {} : { elicitation }) }
}

export function pushingContext(program: Program, asked: string[], sub: string): object {
  const send = async ({ params }: { params: { message: string } }, { signal }: { signal: AbortSignal }) => {
    asked.push(params.message)
    const answer = answerTo(program, params.message)
    if (answer !== undefined) return answer
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(new Error('taken back')), { once: true })
    })
  }
  return {
    mcpReq: { id: 1, method: 'tools/call', send, notify: async () => undefined, signal: new AbortController().signal },
    http: { authInfo: { token: `token of ${sub}`, extra: { sub } } },
  }
}
