// Calls a handler as SDK 2.x does for a client of revision 2025-11-25: once, with questions pushed while it waits.

import { scriptedPerson } from '../run/seen.ts'
import { type Called, type ClientOptions, received, type ToolHandler } from './client.ts'
import { shownOf } from './shown.ts'

export async function call20251125(handler: ToolHandler, args: unknown, options: ClientOptions): Promise<Called> {
  const hangUp = new AbortController()
  const silence = Promise.withResolvers<void>()
  const elicitInput = async (params: unknown, { signal }: { readonly signal?: AbortSignal } = {}) => {
    refuseUndeclared(params, options)
    const answering = options.person.see(shownOf(params))
    if (answering.answers) return answering.answer
    silence.resolve()
    return untilAborted(signal)
  }
  const mcpReq = {
    id: 1,
    method: 'tools/call',
    signal: hangUp.signal,
    elicitInput,
    notify: async () => undefined,
    [scriptedPerson]: true,
  }

  const finished = handler(...received(args, { mcpReq })).then((result): Called => ({ result, runs: 1 }))
  const first = await Promise.race([finished, silence.promise])
  if (first !== undefined) return first
  const patience = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => patience.resolve(undefined), options.patienceMs)
  const ended = await Promise.race([finished, patience.promise]).finally(() => clearTimeout(timer))
  if (ended !== undefined) return ended
  // Nobody waits for it any more; its end is of no interest, but it must come.
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
    signal?.addEventListener('abort', () => reject(new Error('The question was taken back.')), { once: true })
  })
}
