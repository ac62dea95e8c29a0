// How a secret reaches a handler: typed on the surface if only the person sees it there, otherwise entered on an Assent page.
//
// The page is opened once per call and its id is kept; the value never is. A handler that runs again fetches it again in
// every round.
//
// I1  Every page that was opened is released: where the handler waits when it has the value or has failed, otherwise when the
//     call has ended. The journal has the pages of the call, also those that the handler no longer reaches.
// I2  A page that opens after the end of its call is released at once.

import { AssentError, isAssentError, isPlainObject } from '@assent/core'
import * as describe from '../ask/describe.ts'
import { answerValue } from '../ask/ending.ts'
import { askLabel } from '../ask/label.ts'
import { waitOf } from '../ask/options.ts'
import type { Run } from '../ask/run.ts'
import { pageStepPrefix } from '../ask/step.ts'
import type { Journal } from '../journal/journal.ts'
import { never } from '../never.ts'
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
  if (run.isLate(description)) return never()
  const { secrets } = serverContext
  if (secrets === undefined || run.asksSecrets) return answerValue(description, (await run.put(description)).ending)
  if (secrets.problem !== undefined) throw new AssentError('not_supported', secrets.problem)
  const { question, options } = description
  const prompt = question.kind === 'form' ? question.message : ''
  const waitMs = waitOf(options, serverContext.waitMs)
  const request = { prompt, principal, expiresAtMs: serverContext.nowMs() + waitMs }
  const page = (await run.once(name, () => openPage(secrets, request), {
    isOwn: true,
    label: askLabel(description),
  })) as PageOrProblem
  if ('problem' in page) throw new AssentError('not_supported', page.problem)
  if (run.runsAgain && run.ended.aborted) await releasePage(secrets, page.id)
  const { waitMs: _, fallback: __, ...rest } = options
  const link = describe.url(prompt, page.url, { ...rest, waitMs })
  const timeout = AbortSignal.timeout(Math.min(waitMs, 2 ** 31 - 1))
  try {
    await answerValue(link, (await run.put(link)).ending)
    const value = secrets.value(page.id, { principal, signal: AbortSignal.any([signal, timeout, run.ended]) })
    return await Promise.race([value, untilEnded(run)])
  } catch (error) {
    // No code of the handler runs after its call.
    if (run.runsAgain && run.ended.aborted) return new Promise(() => undefined)
    if (isAssentError(error)) throw error
    if (timeout.aborted) throw new AssentError('timed_out', `"${prompt}" was not entered in time.`, { cause: error })
    throw new AssentError('cancelled', `"${prompt}" was not entered.`, { cause: error })
  } finally {
    if (!run.runsAgain) await releasePage(secrets, page.id)
  }
}

/** For a call that has ended: releases the pages that it opened. */
export async function releasePages(journal: Journal, secrets: Secrets | undefined): Promise<void> {
  if (secrets === undefined) return
  for (const [name, { entry }] of journal.steps) {
    const page = name.startsWith(pageStepPrefix) && entry.kind === 'done' ? entry.result : undefined
    if (isPlainObject(page) && typeof page.id === 'string') await releasePage(secrets, page.id)
  }
}

/** If this fails, the page expires by itself a little later, so the call does not fail. */
async function releasePage(secrets: Secrets, id: string): Promise<void> {
  try {
    await secrets.release?.(id)
  } catch {
    // See above.
  }
}

function untilEnded({ ended }: Run): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new AssentError('cancelled', 'The call has ended.'))
    if (ended.aborted) end()
    ended.addEventListener('abort', end, { once: true })
  })
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
