// Narration on the revisions in which a server may send requests to the client.

import type { Analysis } from './analysis/analyze.ts'
import { onboardingLimits } from './limits.ts'
import { memberOf, type Narration, narrationOf, samplingParams } from './narration.ts'
import { errorMessage } from './onboarding-error.ts'

interface Narrator {
  readonly requestSampling: (params: object, options: object) => Promise<unknown>
}

export async function narrate(context: unknown, server: unknown, analysis: Analysis): Promise<Narration> {
  const narrator = narratorIn(context, server)
  const params = samplingParams(analysis)
  if (narrator === undefined || params === undefined) return { ok: false }
  try {
    return narrationOf(await narrator.requestSampling(params, { timeout: onboardingLimits.narrationMs }))
  } catch (error) {
    return { ok: false, why: errorMessage(error) }
  }
}

function narratorIn(context: unknown, server: unknown): Narrator | undefined {
  const request = memberOf(context, 'mcpReq')
  // A call of 2026-07-28 brings its own envelope; there a server cannot send requests to the client.
  if (request === undefined || memberOf(request, 'envelope') !== undefined) return undefined
  const inner = memberOf(server, 'server')
  const capabilities = (inner as { getClientCapabilities?: () => unknown } | undefined)?.getClientCapabilities?.()
  if (memberOf(capabilities, 'sampling') === undefined) return undefined
  return typeof memberOf(request, 'requestSampling') === 'function' ? (request as Narrator) : undefined
}
