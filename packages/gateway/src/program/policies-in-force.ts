// Opens the policies of a configuration. Cedar is loaded only if there are any.

import type { PolicyProblem } from '@assent/policy'
import type { PolicyDecider } from '../call/policy/policy-gate.ts'
import { nearest } from '../config/nearest.ts'
import type { Config } from '../config/settings.ts'

/**
 * Undefined without policies. Throws an error with every problem if one of them cannot be used, or does not fit the schema:
 * one that compares what a call does not have is never satisfied, and one that denies would deny nothing.
 */
export async function policiesInForce({ policies: settings }: Config): Promise<PolicyDecider | undefined> {
  if (settings === undefined) return undefined
  const { Policies, policyFindings } = await import('@assent/policy')
  const opened = await Policies.open(settings, nearest)
  if (!(opened instanceof Policies)) throw unusable(opened)
  const findings = await policyFindings(settings, { nearest })
  const mistakes = findings.filter(({ level }) => level === 'error')
  if (mistakes.length > 0) throw unusable(mistakes)
  return opened
}

function unusable(problems: readonly PolicyProblem[]): Error {
  const texts = problems.map(({ place: { file = 'policies', line, column }, problem, suggestion }) => {
    const what = suggestion === undefined ? problem : `${problem} ${suggestion}`
    return `${file}:${line}:${column} ${what}`
  })
  return new Error(`The policies cannot be used. ${texts.join(' ')}`)
}
