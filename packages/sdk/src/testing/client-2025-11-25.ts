// Calls a handler as SDK 2.x does for a client of revision 2025-11-25: once, with questions pushed while it waits.

import type { CallHandler } from '../register/call-handler.ts'
import { scriptedPersonKey } from '../run/human-check.ts'
import type { CallOutcome, ClientOptions } from './client.ts'
import { shownOf } from './shown.ts'

export async function call20251125(call: CallHandler, options: ClientOptions): Promise<CallOutcome> {
  const hangUp = new AbortController()
  const unanswered = Promise.withResolvers<void>()
  const elicitInput = async (params: unknown, { signal }: { readonly signal?: AbortSignal } = {}) => {
    refuseUndeclared(params, options)
    const answering = options.person.see(shownOf(params))
    if (answering.answers) return answering.answer
    unanswered.resolve()
    return untilAborted(signal)
  }
  const mcpReq = {
    id: 1,
    method: 'tools/call',
    signal: hangUp.signal,
    elicitInput,
    notify: async () => undefined,
    [scriptedPersonKey]: true,
  }

  const finished = call({ mcpReq }).then((result): CallOutcome => ({ result, runs: 1 }))
  const first = await Promise.race([finished, unanswered.promise])
  if (first !== undefined) return first
  const timeout = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => timeout.resolve(undefined), options.timeoutMs)
  const ended = await Promise.race([finished, timeout.promise]).finally(() => clearTimeout(timer))
  if (ended !== undefined) return ended
  // Its result is not needed any more, but the handler must end.
  hangUp.abort()
  await finished.catch(() => undefined)
  return { result: undefined, runs: 1 }
}

/** The SDK refuses by itself to send what the client did not declare. */
function refuseUndeclared(params: unknown, options: ClientOptions): void {
  const { mode } = shownOf(params)
  if (options.shows[mode]) return
  throw Object.assign(new Error(`The client does not support ${mode} elicitation.`), {
    code: 'CAPABILITY_NOT_SUPPORTED',
  })
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('The question was withdrawn.')), { once: true })
  })
}
