// Where requests between replicas may be sent without TLS: this machine, and the networks that the operator states.

import { lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isLoopback } from '../protocol/loopback.ts'
import { StatedNetworks } from '../protocol/networks.ts'

export class PlainNetworks {
  readonly #networks: StatedNetworks
  readonly #resolve: typeof resolveName

  /** @param networks such as `10.0.0.0/8` */
  constructor(networks: readonly string[] = [], resolve: typeof resolveName = resolveName) {
    this.#resolve = resolve
    this.#networks = new StatedNetworks(networks)
  }

  /** Whether an address, or a name that may resolve to one, is in these networks. */
  mayContain(host: string): boolean {
    const bare = host.replace(/^\[|\]$/g, '')
    if (isLoopback(bare)) return true
    return isIP(bare) === 0 ? !this.#networks.isEmpty : this.#networks.contains(bare)
  }

  /** Resolves a name, and fails if one of its addresses is in none of these networks. */
  readonly lookup: LookupFunction = (hostname, options, callback) => {
    this.#resolve(hostname, options, (error, found, family) => {
      const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
      if (error === null && !addresses.every((address) => this.mayContain(address)))
        return callback(new Error(`${hostname} is not in a network where TLS is not required.`), '', 0)
      callback(error, found, family)
    })
  }
}
