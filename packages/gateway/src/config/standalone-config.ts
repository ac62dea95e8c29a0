// The configuration of `assent` without a configuration file: the built-in tools, one person, the inbox on loopback.
// The ASSENT_… variables override it like any other.

import { type ConfigRead, readConfig } from './read-config.ts'

/** Not the gateway's default port: a gateway with its own store may run on the same machine. */
const text = `
listen: 127.0.0.1:7421
asks: { surfaces: [client, inbox] }
servers: { none: { command: none } }
`

export function standaloneConfig(variables: NodeJS.ProcessEnv): ConfigRead {
  const readFile = () => ({ ok: false, reason: 'there is no configuration file' }) as const
  const read = readConfig(text, { variables, readFile, isStandalone: true })
  // A configuration needs at least one server; here the only one is built in.
  return read.ok ? { ...read, config: { ...read.config, servers: {} } } : read
}
