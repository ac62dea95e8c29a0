// Networks of IP addresses: those that an operator states, and the addresses that are reachable from everywhere.

import { BlockList, isIP } from 'node:net'

const pattern = /^([0-9a-fA-F.:]+)\/([0-9]{1,3})$/

/** The parts of `10.0.0.0/8`; undefined if it is not a network. */
export function networkIn(text: string): { readonly address: string; readonly bits: number } | undefined {
  const [, address = '', bits = ''] = pattern.exec(text) ?? []
  const most = { 4: 32, 6: 128 }[isIP(address)]
  return most === undefined || Number(bits) > most ? undefined : { address, bits: Number(bits) }
}

/** The networks that the operator states, and no others. */
export class StatedNetworks {
  readonly #networks: BlockList
  readonly isEmpty: boolean

  /** @param networks such as `10.0.0.0/8` */
  constructor(networks: readonly string[]) {
    this.isEmpty = networks.length === 0
    this.#networks = blockList(networks)
  }

  contains(address: string): boolean {
    return isIn(this.#networks, address)
  }
}

/**
 * Whether an address is reachable from everywhere. Private, loopback, link-local, multicast, documentation and transition
 * addresses are not (https://www.iana.org/assignments/iana-ipv4-special-registry/ and iana-ipv6-special-registry).
 */
export function isRoutable(address: string): boolean {
  // In IPv6 only one eighth is assigned. Mapped IPv4 addresses are outside of it, whatever address they contain.
  const isAssigned = isIP(address) === 4 || (isIP(address) === 6 && isIn(assigned, address))
  return isAssigned && !isIn(special, address)
}

const assigned = blockList(['2000::/3'])

const special = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
])

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const text of networks) {
    const network = networkIn(text)
    if (network === undefined) throw new TypeError('Not a network.')
    list.addSubnet(network.address, network.bits, isIP(network.address) === 6 ? 'ipv6' : 'ipv4')
  }
  return list
}

function isIn(list: BlockList, address: string): boolean {
  const version = isIP(address)
  return version !== 0 && list.check(address, version === 6 ? 'ipv6' : 'ipv4')
}
