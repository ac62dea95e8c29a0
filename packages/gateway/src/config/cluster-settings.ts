// The settings of several gateways on one database, under `cluster`, and the rules between them.

import { PlainNetworks } from '../cluster/plain-networks.ts'
import { isWildcard } from '../protocol/loopback.ts'
import { address, text, url } from './kinds.ts'
import { group, list, optional } from './setting.ts'
import { network } from './special-kinds.ts'

const pem = text('a PEM text, such as `${file:tls.pem}`', /^-----BEGIN /)

export const clusterSettings = group(
  'Several gateways on one database. Each gateway forwards requests that belong to another gateway, for example an answer for a call that runs there. Not used with `--stdio`.',
  {
    listen: optional(
      address,
      'Where the other gateways connect. Required in every gateway if several share a database. Clients must not reach this address. A request to it is accepted only if a gateway with the same `keys` has sealed it.',
    ),
    address: optional(
      url({ mayBePlain: true }),
      'The address at which the other gateways reach `cluster.listen`, such as `http://10.1.2.3:7421`. Required if `cluster.listen` is `0.0.0.0` or `[::]`.',
    ),
    private_networks: list(
      network,
      [],
      'Networks in which the gateways may connect to each other without TLS, such as `10.0.0.0/8`. On other networks, except loopback, `cluster.tls` is required.',
    ),
    tls: group('TLS between the gateways.', {
      cert: optional(pem, 'The certificate of this gateway, for the host in `cluster.address`.'),
      key: optional(pem, 'The private key of the certificate.', { isSecret: true }),
      ca: optional(
        pem,
        'The certificates of the authority that signed the certificates of the gateways. Default: the authorities that the system trusts.',
      ),
    }),
  },
)

interface ClusterValues {
  readonly listen: { readonly host: string; readonly port: number } | undefined
  readonly address: URL | undefined
  readonly private_networks: readonly string[]
  readonly tls: { readonly cert: string | undefined; readonly key: string | undefined; readonly ca: string | undefined }
}

export function clusterProblems(
  cluster: ClusterValues,
  clientsAt: { readonly host: string; readonly port: number },
): { path: string; words: string; suggestion: string }[] {
  const { listen, address: given, private_networks: networks, tls } = cluster
  const problem = (name: string, words: string, suggestion: string) => [{ path: `cluster.${name}`, words, suggestion }]
  const hasTls = tls.cert !== undefined && tls.key !== undefined
  if (hasTls !== (tls.cert !== undefined || tls.key !== undefined))
    return problem('tls', 'needs both cert and key', 'Add the other one, or remove both.')
  if (listen === undefined) {
    const useless =
      given !== undefined ? 'address' : networks.length > 0 ? 'private_networks' : hasTls ? 'tls' : undefined
    return useless === undefined ? [] : problem(useless, 'has no effect without cluster.listen', 'Add cluster.listen.')
  }
  if (listen.port !== 0 && listen.port === clientsAt.port && listen.host === clientsAt.host)
    return problem('listen', 'is the address where clients connect', 'Use another port.')
  if (given === undefined && isWildcard(listen.host)) {
    const words = 'is required: other gateways cannot connect to a wildcard address'
    return problem('address', words, 'Set it to an address of this machine, such as http://10.1.2.3:7421')
  }
  if (given !== undefined && (given.protocol === 'https:') !== hasTls) {
    const words = hasTls ? 'must begin with https, because cluster.tls is set' : 'needs cluster.tls for https'
    return problem('address', words, hasTls ? 'Start it with https://' : 'Add cluster.tls.cert and cluster.tls.key.')
  }
  const plain = new PlainNetworks(networks)
  const host = given?.hostname ?? listen.host
  if (hasTls || plain.mayContain(host)) return []
  const words = 'is outside loopback and cluster.private_networks, so requests between the gateways need TLS'
  const suggestion = 'Set cluster.tls, or state the private network in cluster.private_networks.'
  return problem(given === undefined ? 'listen' : 'address', words, suggestion)
}
