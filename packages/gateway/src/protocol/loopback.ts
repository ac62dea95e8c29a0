// Which host names and addresses count as this machine, and which as all its addresses. The list of this machine's names
// grants access, so there is no other one.

import { isIP } from 'node:net'

/** With and without the brackets of a URL. */
const ownNames = ['localhost', '127.0.0.1', '[::1]', '::1']

/** Whether our own listeners have this name. Other loopback addresses, such as 127.0.0.2, may be another program's. */
export function isOwnLoopbackName(host: string): boolean {
  return ownNames.includes(host)
}

/** Whether this is a name or address of loopback. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  return ownNames.includes(bare) || (isIP(bare) === 4 && bare.startsWith('127.'))
}

/** Whether a browser may reach this machine under the name: it resolves names under `localhost` without DNS. */
export function mayReachLoopback(host: string): boolean {
  return isLoopback(host) || host.startsWith('127.') || host.endsWith('.localhost')
}

const wildcards = ['0.0.0.0', '[::]', '[::ffff:0:0]']

/** Whether a listener with this host is on all addresses of the machine, in any spelling, such as `[::0]`. */
export function isWildcard(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  const address = `http://${bare.includes(':') ? `[${bare}]` : bare}`
  return URL.canParse(address) ? wildcards.includes(new URL(address).hostname) : bare === ''
}
