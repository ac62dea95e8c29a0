// Which addresses a webhook may reach. Checked when the connection is made, for the addresses that it uses: a name that
// led to a public address before may lead to this machine now (DNS rebinding).

import { lookup as resolveName } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { isRoutable, StatedNetworks } from '../protocol/networks.ts'

/** A connection that was refused before it was made. */
export class RefusedAddress extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED'

  constructor() {
    super('The address is private, or needs TLS, and notify.networks does not state its network.')
    this.name = 'RefusedAddress'
  }
}

export class OutboundGuard {
  readonly #networks: StatedNetworks
  readonly #resolve: typeof resolveName

  /** @param networks in which private addresses, and http, are allowed */
  constructor(networks: readonly string[], resolve: typeof resolveName = resolveName) {
    this.#networks = new StatedNetworks(networks)
    this.#resolve = resolve
  }

  /** Whether a connection to this IP address is allowed. Without TLS, only in the stated networks. */
  allows(address: string, hasTls: boolean): boolean {
    return this.#networks.contains(address) || (hasTls && isRoutable(address))
  }

  /** Throws for an address that is refused. Node does not look up a host that is an address already. */
  checkHost({ hostname, protocol }: URL): void {
    const host = hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !this.allows(host, protocol === 'https:')) throw new RefusedAddress()
  }

  /** Resolves a name, and fails if one of its addresses is refused. */
  lookup(hasTls: boolean): LookupFunction {
    return (hostname, options, callback) => {
      this.#resolve(hostname, options, (error, found, family) => {
        const addresses = typeof found === 'string' ? [found] : (found ?? []).map(({ address }) => address)
        if (error === null && !addresses.every((address) => this.allows(address, hasTls)))
          return callback(new RefusedAddress(), '', 0)
        callback(error, found, family)
      })
    }
  }
}
