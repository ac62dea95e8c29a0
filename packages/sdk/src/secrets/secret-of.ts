// How a secret reaches a handler: typed where the run asks, if nobody else can see it there, or else by a page of ours.
//
// The page is opened once per call and its name is kept; the value never is. A handler that runs again fetches it again in
// every round, and the page is released after the last.

import { AssentError, isAssentError } from '@assent/core'
import * as describe from '../ask/describe.ts'
import { worthOf } from '../ask/ending.ts'
import { waitOf } from '../ask/how.ts'
import type { Run } from '../run/run.ts'
import type { World } from '../world.ts'
import type { SecretRequest, Secrets } from './secrets.ts'

export interface SecretParts {
  readonly run: Run
  readonly world: World
  readonly principal: string
  readonly signal: AbortSignal
}

export async function secretOf(
  description: describe.Description<string>,
  name: string,
  { run, world, principal, signal }: SecretParts,
): Promise<string> {
  const { secrets } = world
  if (secrets === undefined || run.asksSecrets) return worthOf(description, (await run.put(description)).ending)
  if (secrets.problem !== undefined) throw new AssentError('not_supported', secrets.problem)
  const { question, how } = description
  const prompt = question.kind === 'form' ? question.message : ''
  const waitMs = waitOf(how, world.waitMs)
  const request = { prompt, principal, expiresAtMs: world.nowMs() + waitMs }
  const page = (await run.once(name, () => opened(secrets, request))) as Opened
  if ('problem' in page) throw new AssentError('not_supported', page.problem)
  const { waitMs: _, fallback: __, ...said } = how
  const link = describe.url(prompt, page.url, { ...said, waitMs })
  await worthOf(link, (await run.put(link)).ending)
  const patience = AbortSignal.timeout(Math.min(waitMs, 2 ** 31 - 1))
  try {
    const value = await secrets.value(page.id, { principal, signal: AbortSignal.any([signal, patience]) })
    // Where that fails the page is forgotten by itself, a little later; it is nothing to fail a call for.
    await run.afterwards(async () => secrets.release?.(page.id).catch(() => undefined))
    return value
  } catch (error) {
    if (isAssentError(error)) throw error
    if (patience.aborted)
      throw new AssentError('timed_out', `"${prompt}" was not handed over in time.`, { cause: error })
    throw new AssentError('cancelled', `"${prompt}" was not handed over.`, { cause: error })
  }
}

type Opened = Awaited<ReturnType<Secrets['open']>> | { readonly problem: string }

/** A page that cannot be opened is nobody's "no" and no failed step: nobody could be asked. */
async function opened(secrets: Secrets, request: SecretRequest): Promise<Opened> {
  try {
    return await secrets.open(request)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { problem: `No page could be opened for "${request.prompt}", so nobody was asked. ${why}` }
  }
}
