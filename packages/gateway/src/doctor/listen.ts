// Where the inbox of one person's windows is served.

import { type Address, address } from '../config/kinds.ts'

const usual: Address = { host: '127.0.0.1', port: 7421 }

export function listenAddress({ ASSENT_LISTEN: given }: NodeJS.ProcessEnv): Address {
  if (given === undefined || given === '') return usual
  const read = address.read(given)
  if (!read.ok) throw new Error(`ASSENT_LISTEN ${read.problem}. ${read.suggestion ?? ''}`.trim())
  return read.value
}
