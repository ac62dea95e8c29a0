// How a secret reaches a handler: typed on the surface if only the person sees it there, otherwise entered on an Assent page.
//
// The page is opened once per call and its id is kept; the value never is. A handler that runs again fetches it again in
// every round. The page is released after the last, also when the person declined.

import { AssentError, isAssentError } from '@assent/core'
import * as describe from '../ask/describe.ts'
import { answerValue } from '../ask/ending.ts'
import { waitOf } from '../ask/options.ts'
import type { Run } from '../ask/run.ts'
import type { SecretRequest, Secrets } from '../server/secrets.ts'
import type { ServerContext } from '../server/server-context.ts'

export interface SecretDependencies {
  readonly run: Run
  readonly serverContext: ServerContext
  readonly principal: string
  readonly signal: AbortSignal
}

export async function askForSecret(
  description: describe.Description<string>,
  name: string,
  { run, serverContext, principal, signal }: SecretDependencies,
): Promise<string> {
  const { secrets } = serverContext
  if (secrets === undefined || run.asksSecrets) return answerValue(description, (await run.put(description)).ending)
  if (secrets.problem !== undefined) throw new AssentError('not_supported', secrets.problem)
  const { question, options } = description
  const prompt = question.kind === 'form' ? question.message : ''
  const waitMs = waitOf(options, serverContext.waitMs)
  const request = { prompt, principal, expiresAtMs: serverContext.nowMs() + waitMs }
  const page = (await run.once(name, () => openPage(secrets, request), { isOwn: true })) as PageOrProblem
  if ('problem' in page) throw new AssentError('not_supported', page.problem)
  const { waitMs: _, fallback: __, ...rest } = options
  const link = describe.url(prompt, page.url, { ...rest, waitMs })
  const timeout = AbortSignal.timeout(Math.min(waitMs, 2 ** 31 - 1))
  try {
    await answerValue(link, (await run.put(link)).ending)
    return await secrets.value(page.id, { principal, signal: AbortSignal.any([signal, timeout]) })
  } catch (error) {
    if (isAssentError(error)) throw error
    if (timeout.aborted) throw new AssentError('timed_out', `"${prompt}" was not entered in time.`, { cause: error })
    throw new AssentError('cancelled', `"${prompt}" was not entered.`, { cause: error })
  } finally {
    // If this fails, the page expires by itself a little later, so the call does not fail.
    await run.afterwards(async () => secrets.release?.(page.id).catch(() => undefined))
  }
}

type PageOrProblem = Awaited<ReturnType<Secrets['open']>> | { readonly problem: string }

/** If the page cannot be opened, no person was asked: neither a decline nor a failed step. */
async function openPage(secrets: Secrets, request: SecretRequest): Promise<PageOrProblem> {
  try {
    return await secrets.open(request)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { problem: `No page could be opened for "${request.prompt}", so no person was asked. ${why}` }
  }
}
