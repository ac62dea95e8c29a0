// A file with Cedar policies, split into its policies with their places.

import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs'
import { loadCedar } from './cedar.ts'
import type { PolicyPlace, PolicyProblem, PolicySource } from './policy-set.ts'

export interface CedarFile {
  /** As messages name it. */
  readonly file: string
  readonly text: string
}

export type CedarFileRead =
  | { readonly ok: true; readonly sources: readonly PolicySource[] }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] }

export async function readCedarFile({ file, text }: CedarFile): Promise<CedarFileRead> {
  const cedar = await loadCedar()
  const parts = cedar.policySetTextToParts(text)
  if (parts.type === 'failure')
    return { ok: false, problems: parts.errors.map((error) => problemOf(error, file, text)) }
  const offsets = offsetsOf([...parts.policies, ...parts.policy_templates], text)
  const problems: PolicyProblem[] = parts.policy_templates.map((_, index) => ({
    place: placeAt(file, text, offsets[parts.policies.length + index] ?? 0),
    problem: 'Templates with ?principal or ?resource are not supported.',
    suggestion: 'Write one policy for each.',
  }))
  const sources: PolicySource[] = []
  for (const [index, part] of parts.policies.entries()) {
    const place = placeAt(file, text, offsets[index] ?? 0)
    const parsed = cedar.policyToJson(part)
    if (parsed.type === 'success') sources.push({ place, policy: parsed.json })
    else problems.push(...parsed.errors.map((error) => ({ ...problemOf(error, file, part), place })))
  }
  sources.sort((a, b) => a.place.line - b.place.line || a.place.column - b.place.column)
  return problems.length > 0 ? { ok: false, problems } : { ok: true, sources }
}

/** Cedar's own words about a mistake in a text. */
function problemOf({ message, help, sourceLocations = [] }: DetailedError, file: string, text: string): PolicyProblem {
  const [first] = sourceLocations
  const label = first?.label ?? undefined
  const problem = `This is not valid Cedar: ${message}${label === undefined ? '' : ` (${label})`}.`
  // Cedar counts in bytes of UTF-8.
  const before = Buffer.from(text)
    .subarray(0, first?.start ?? 0)
    .toString()
  const place = placeAt(file, text, before.length)
  return { place, problem, suggestion: help === null ? hintFor(`${message} ${label ?? ''}`, before) : sentence(help) }
}

/** Cedar's words with a capital letter and a full stop. */
export function sentence(words: string): string {
  const trimmed = words.trim()
  const first = trimmed.charAt(0).toUpperCase()
  return `${first}${trimmed.slice(1)}${/[.?!]$/.test(trimmed) ? '' : '.'}`
}

/** Where Cedar suggests nothing. */
function hintFor(message: string, before: string): string {
  if (/[0-9]\.$/.test(before)) return 'Write a number with decimal places as decimal("9.5").'
  if (message.includes('`;`')) return 'End each policy with a semicolon.'
  if (message.includes('string literal')) return 'Put the value in quotes, such as @id("production").'
  if (message.includes('`like`')) return 'Write the pattern in quotes, such as like "prod-*".'
  return 'For example: @id("staging only") forbid (principal, action, resource) unless { context.args.env == "staging" };'
}

/** Where each policy is: Cedar returns their texts in any order, and one may be a part of another. */
function offsetsOf(parts: readonly string[], text: string): number[] {
  const offsets = parts.map(() => 0)
  const longestFirst = [...parts.keys()].sort((a, b) => (parts[b]?.length ?? 0) - (parts[a]?.length ?? 0))
  const taken: [number, number][] = []
  for (const index of longestFirst) {
    const part = parts[index] ?? ''
    let at = text.indexOf(part)
    while (at >= 0 && taken.some(([from, to]) => at < to && at + part.length > from)) at = text.indexOf(part, at + 1)
    offsets[index] = Math.max(at, 0)
    taken.push([offsets[index], offsets[index] + part.length])
  }
  return offsets
}

function placeAt(file: string, text: string, offset: number): PolicyPlace {
  const lines = text.slice(0, Math.max(offset, 0)).split('\n')
  return { file, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
}
