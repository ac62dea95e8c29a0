// Narration on revision 2026-07-28: the call returns "input required" with a sampling request, and the client repeats it
// with the model's text. `assent` serves its tools in this revision, and its gateway converts the request for older clients.
//
// Only a gateway of ours is asked. Sampling is deprecated in this revision, and a client without the gateway fails the
// whole call if its model fails.
// Nothing is kept between the two rounds: the first one only analyses, the second one does the work.

import { askMeta, understandsAskMeta } from '@assent/core'
import type { InputRequiredResult } from '@modelcontextprotocol/server'
import type { Analysis } from './analysis/analyze.ts'
import { onboardingLimits } from './limits.ts'
import { memberOf, samplingParams } from './narration.ts'

const key = 'narration'
const capabilitiesKey = 'io.modelcontextprotocol/clientCapabilities'

/** A call of this revision by a client that offers sampling. */
export interface SamplingRound {
  /** What the client returned for our request; undefined in the first round. */
  readonly response: unknown
}

export function samplingRound(context: unknown): SamplingRound | undefined {
  const request = memberOf(context, 'mcpReq')
  const capabilities = memberOf(memberOf(request, 'envelope'), capabilitiesKey)
  if (memberOf(capabilities, 'sampling') === undefined || !understandsAskMeta(capabilities)) return undefined
  return { response: memberOf(memberOf(request, 'inputResponses'), key) }
}

/** Undefined if there is nothing to summarise. */
export function samplingRequired(analysis: Analysis): InputRequiredResult | undefined {
  const params = samplingParams(analysis)
  if (params === undefined) return undefined
  const _meta = askMeta({ waitMs: onboardingLimits.narrationMs })
  return {
    resultType: 'input_required',
    inputRequests: { [key]: { method: 'sampling/createMessage', params: { ...params, _meta } } },
  } as unknown as InputRequiredResult
}
