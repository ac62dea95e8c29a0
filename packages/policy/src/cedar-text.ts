// A policy as Cedar text, for people who want to see what the short form means.

import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs'
import { loadCedar } from './cedar.ts'

export async function cedarTextOf(policy: PolicyJson): Promise<string> {
  const cedar = await loadCedar()
  const converted = cedar.policyToText(policy)
  if (converted.type === 'failure') throw new Error(`A policy has no Cedar text: ${converted.errors[0]?.message}`)
  const formatted = cedar.formatPolicies({ policyText: converted.text, lineWidth: 100, indentWidth: 2 })
  return formatted.type === 'success' ? formatted.formatted_policy.trimEnd() : converted.text
}
