// Where requests between replicas may be sent without TLS: this machine, and the networks that the operator states.

import { lookup as resolveName } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { isLoopback } from '../protocol/loopback.ts'

const pattern = /^([0-9a-fA-F.:]+)\/([0-9]{1,3})$/

/** The parts of `10.0.0.0/8`; undefined if it is not a network. */
export function networkIn(text: string): { readonly address: string; readonly bits: number } | undefined {
  const [, address = '', bits = ''] = pattern.exec(text) ?? []
  const most = { 4: 32, 6: 128 }[isIP(address)]
  return most === undefined || Number(bits) > most ? undefined : { address, bits: Number(bits) }
}

export class PlainNetworks {
  readonly #networks = new BlockList()
  readonly #isEmpty: boolean
  readonly #resolve: typeof resolveName

  /** @param networks such as `10.0.0.0/8` */
  constructor(networks: readonly string[] = [], resolve: typeof resolveName = resolveName) {
    this.#resolve = resolve
    this.#isEmpty = networks.length === 0
    for (const text of networks) {
      const network = networkIn(text)
      if (network === undefined) throw new TypeError('Not a network.')
      this.#networks.addSubnet(network.address, network.bits, isIP(network.address) === 6 ? 'ipv6' : 'ipv4')
    }
  }

  /** Whether an address, or a name that may resolve to one, is in these networks. */
  mayContain(host: string): boolean {
    const bare = host.replace(/^\[|\]$/g, '')
    const version = isIP(bare)
    if (isLoopback(bare)) return true
    return version === 0 ? !this.#isEmpty : this.#networks.check(bare, version === 6 ? 'ipv6' : 'ipv4')
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
