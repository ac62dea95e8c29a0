// Calls a handler as a server of SDK 2.x does for a client of revision 2025-11-25: once, with questions pushed at it.

import { answerTo } from './replay-person.part.ts'
import type { Program } from './replay-program.part.ts'

export interface Modes {
  readonly form?: object
  readonly url?: object
}

/** Knows what its client declared, and nothing else of a server. */
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
    http: { authInfo: { token: sub, extra: { sub } } },
  }
}
