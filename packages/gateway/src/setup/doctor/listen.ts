// The address of the inbox in standalone mode.

import type { Address } from '../../config/kinds.ts'
import { problemText } from '../../config/problem.ts'
import { standaloneConfig } from '../../config/standalone-config.ts'

/** @throws if an environment variable has an invalid value */
export function listenAddress(variables: NodeJS.ProcessEnv): Address {
  const read = standaloneConfig(variables)
  if (!read.ok) throw new Error(read.problems.map((one) => problemText('environment', one)).join('\n'))
  return read.config.listen
}
