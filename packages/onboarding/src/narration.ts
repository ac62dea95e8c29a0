// A summary of the analysis, written by the client's own model where the client offers sampling.
//
// No finding, plan, question or decision depends on it. The model's text is returned next to ours, marked as the model's.
// How a client is asked for it depends on the revision: narrate-2025-11-25.ts, narrate-2026-07-28.ts.

import type { Analysis } from './analysis/analyze.ts'
import { onboardingLimits } from './limits.ts'
import { analysisText } from './report.ts'
import { narrationText } from './text/tool.ts'

export type Narration =
  | { readonly ok: true; readonly text: string }
  /** Why there is none; undefined when the client does not offer sampling. */
  | { readonly ok: false; readonly why?: string }

export interface SamplingParams {
  readonly systemPrompt: string
  readonly messages: readonly object[]
  readonly maxTokens: number
}

/** Undefined if there is nothing to summarise. */
export function samplingParams(analysis: Analysis): SamplingParams | undefined {
  if (analysis.findings.length === 0) return undefined
  const { narrationTokens, narrationInputChars } = onboardingLimits
  const text = analysisText(analysis).slice(0, narrationInputChars)
  return {
    systemPrompt: narrationText.systemPrompt,
    messages: [{ role: 'user', content: { type: 'text', text } }],
    maxTokens: narrationTokens,
  }
}

/** Reads the result of a sampling request. */
export function narrationOf(result: unknown): Narration {
  const content = memberOf(result, 'content')
  const parts = Array.isArray(content) ? content : [content]
  const text = parts.map((part) => memberOf(part, 'text')).filter((one) => typeof one === 'string')
  const joined = text.join('\n').trim().slice(0, onboardingLimits.narrationChars)
  return joined === '' ? { ok: false, why: narrationText.noText } : { ok: true, text: joined }
}

export function memberOf(holder: unknown, name: string): unknown {
  return typeof holder === 'object' && holder !== null ? (holder as Readonly<Record<string, unknown>>)[name] : undefined
}
