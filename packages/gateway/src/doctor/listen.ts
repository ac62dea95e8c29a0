// Where the inbox of one person's windows is served.

import { aloneConfig } from '../config/alone-config.ts'
import type { Address } from '../config/kinds.ts'
import { tell } from '../config/problem.ts'

/** @throws when a variable that says where is wrong */
export function listenAddress(variables: NodeJS.ProcessEnv): Address {
  const read = aloneConfig(variables)
  if (!read.ok) throw new Error(read.problems.map((one) => tell('environment', one)).join('\n'))
  return read.config.listen
}
