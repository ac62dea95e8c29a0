// A policy of the short form about all tools, with changes.

import type { ShortPolicy } from '@assent/policy'

export function aShortPolicy(
  name: string,
  effect: ShortPolicy['effect'],
  changes: Partial<ShortPolicy> = {},
): ShortPolicy {
  return {
    name,
    kind: 'tools',
    targets: ['*'],
    people: [],
    annotations: {},
    when: [],
    effect,
    isDryRun: false,
    ...changes,
  }
}
