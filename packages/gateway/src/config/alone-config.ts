// The configuration of `assent` without any: the tools of its own, one person, the inbox on loopback. The ASSENT_…
// variables override it like any other.

import { type ConfigRead, readConfig } from './read-config.ts'

/** Not the port of a gateway, which may run on the same machine with a store of its own. */
const text = `
listen: 127.0.0.1:7421
asks: { surfaces: [client, inbox] }
servers: { none: { command: none } }
`

export function aloneConfig(variables: NodeJS.ProcessEnv): ConfigRead {
  const readFile = () => ({ ok: false, reason: 'there is no configuration here' }) as const
  const read = readConfig(text, { variables, readFile })
  // A configuration has at least one server; here the only one is inside.
  return read.ok ? { ...read, config: { ...read.config, servers: {} } } : read
}
