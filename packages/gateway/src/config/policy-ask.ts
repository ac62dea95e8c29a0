// The terms of an ask in a policy, as the annotations of a Cedar policy: `@ask("2 of release & security | directors")`.

import type { WrittenAsk } from './policy-settings.ts'
import { showDuration } from './units.ts'

export type PolicyReport = (path: string, words: string, suggestion?: string) => void

interface WrittenFactor {
  readonly from: readonly string[]
  readonly approvals: number
}

type CheckName = (path: string, name: string) => void

/** @param checkName reports a name of a group that does not exist */
export function annotationsOfAsk(
  ask: WrittenAsk,
  path: string,
  report: PolicyReport,
  checkName: CheckName,
): Record<string, string> {
  const given = [
    ...(ask.from.length > 0 ? ['from'] : []),
    ...(ask.all_of.length > 0 ? ['all_of'] : []),
    ...(ask.any_of.length > 0 ? ['any_of'] : []),
  ]
  if (given.length > 1)
    report(path, `has ${given.join(' and ')}: only one is allowed`, 'Write each from in all_of or any_of.')
  if (ask.approvals > 1 && ask.from.length === 0 && given.length > 0) {
    report(`${path}.approvals`, 'belongs to from', 'Write it next to each from.')
  }
  const factor = (one: WrittenFactor, at: string): string => {
    if (one.from.length === 0) report(at, 'needs from', 'For example: from: requester')
    for (const name of one.from) if (name !== 'requester') checkName(`${at}.from`, name)
    return `${one.approvals === 1 ? '' : `${one.approvals} of `}${one.from.join(', ')}`
  }
  const all = (factors: WrittenAsk['all_of']) => factors.map((one) => factor(one.value, one.path)).join(' & ')
  const alternatives = ask.any_of.map((one) => {
    const { all_of: factors, from } = one.value
    if (factors.length > 0 && from.length > 0)
      report(one.path, 'has from and all_of: only one is allowed', 'Write each from in all_of.')
    return factors.length > 0 ? all(factors) : factor(one.value, one.path)
  })
  const who =
    ask.any_of.length > 0 ? alternatives.join(' | ') : ask.all_of.length > 0 ? all(ask.all_of) : factor(ask, path)
  return {
    ask: who,
    ...(ask.exclude.length === 0 ? {} : { exclude: ask.exclude.join(', ') }),
    ...(ask.declines === 1 ? {} : { declines: String(ask.declines) }),
    ...(ask.within === undefined ? {} : { within: showDuration(ask.within) }),
    ...(ask.use_within === undefined ? {} : { use_within: showDuration(ask.use_within) }),
    ...(ask.presence === undefined ? {} : { presence: ask.presence }),
    ...(ask.reason === undefined ? {} : { reason: ask.reason }),
    ...(ask.risk === undefined ? {} : { risk: ask.risk }),
    ...(ask.surfaces.join() === 'inbox' ? {} : { surfaces: ask.surfaces.join(', ') }),
  }
}
