// Verdicts that differ through the gateway on purpose, each with its reason. Every other difference is a fault.

import type { Difference } from './verdicts.ts'

interface Intended extends Omit<Difference, 'why'> {
  readonly reason: string
}

const intended: readonly Intended[] = [
  {
    scenario: 'input-required-result-ignore-extra-params',
    check: 'sep-2322-ignore-unexpected-params IgnoreUnexpectedParams',
    direct: 'SUCCESS',
    through: 'WARNING',
    reason:
      'The suite sends answers in the first request of a call. The gateway removes them ([RELAY-5]): no person was asked, and a ' +
      'server without state would take them for answers of a person.',
  },
]

/** Why a verdict differs on purpose; undefined if it is a fault. */
export function intendedReason({ scenario, check, direct, through }: Difference): string | undefined {
  return intended.find(
    (one) => one.scenario === scenario && one.check === check && one.direct === direct && one.through === through,
  )?.reason
}
