// Opens the policies of a configuration. Cedar is loaded only if there are any.

import type { PolicyDecider } from '../call/policy/policy-gate.ts'
import type { Config } from '../config/settings.ts'

/** Undefined without policies. Throws an error with every problem if one of them cannot be used. */
export async function policiesInForce({ policies: settings }: Config): Promise<PolicyDecider | undefined> {
  if (settings === undefined) return undefined
  const { Policies } = await import('@assent/policy')
  const opened = await Policies.open(settings)
  if (opened instanceof Policies) return opened
  const texts = opened.map(
    ({ place: { file = 'policies', line, column }, problem }) => `${file}:${line}:${column} ${problem}`,
  )
  throw new Error(`The policies cannot be used. ${texts.join(' ')}`)
}
