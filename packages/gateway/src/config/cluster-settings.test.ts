import { expect, test } from 'vitest'
import { clusterProblems } from './cluster-settings.ts'

type Cluster = Parameters<typeof clusterProblems>[0]

const clientsAt = { host: '127.0.0.1', port: 7420 }
const none: Cluster = {
  listen: undefined,
  address: undefined,
  private_networks: [],
  tls: { cert: undefined, key: undefined, ca: undefined },
}
const tls = { cert: 'c', key: 'k', ca: undefined }
const at = (host: string, port = 7421) => ({ host, port })

function problemOf(changes: Partial<Cluster>): string | undefined {
  const [problem] = clusterProblems({ ...none, ...changes }, clientsAt)
  return problem === undefined ? undefined : `${problem.path} ${problem.words}`
}

test.each<[string, Partial<Cluster>]>([
  ['nothing', {}],
  ['loopback', { listen: at('127.0.0.1') }],
  ['a stated network', { listen: at('10.0.0.5'), private_networks: ['10.0.0.0/8'] }],
  [
    'all addresses, and an address in a stated network',
    {
      listen: at('0.0.0.0'),
      address: new URL('http://10.0.0.5:7421'),
      private_networks: ['10.0.0.0/8'],
    },
  ],
  [
    'a name, with a stated network',
    {
      listen: at('0.0.0.0'),
      address: new URL('http://gateway-1.internal:7421'),
      private_networks: ['10.0.0.0/8'],
    },
  ],
  ['any address with TLS', { listen: at('::'), address: new URL('https://gateway-1.example.com:7421'), tls }],
])('[PROG-19] a cluster may listen on %s', (_what, changes) => {
  expect(problemOf(changes)).toBeUndefined()
})

test.each<[string, Partial<Cluster>, RegExp]>([
  ['an address without a listener', { address: new URL('http://10.0.0.5:7421') }, /^cluster.address has no effect/],
  ['networks without a listener', { private_networks: ['10.0.0.0/8'] }, /^cluster.private_networks has no effect/],
  ['TLS without a listener', { tls }, /^cluster.tls has no effect/],
  ['a certificate without a key', { listen: at('::1'), tls: { ...tls, key: undefined } }, /needs both cert and key/],
  ['a key without a certificate', { listen: at('::1'), tls: { ...tls, cert: undefined } }, /needs both cert and key/],
  ['the address of clients', { listen: clientsAt }, /where clients connect/],
  ['a wildcard without an address', { listen: at('0.0.0.0') }, /^cluster.address is required/],
  ['an IPv6 wildcard without an address', { listen: at('::'), tls }, /^cluster.address is required/],
  ...['::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0'].map((host): [string, Partial<Cluster>, RegExp] => [
    `the wildcard ${host} without an address`,
    { listen: at(host), tls },
    /^cluster.address is required/,
  ]),
  ['https without TLS', { listen: at('::1'), address: new URL('https://a.example') }, /needs cluster.tls for https/],
  ['http with TLS', { listen: at('::1'), address: new URL('http://a.example'), tls }, /must begin with https/],
  ['a public address without TLS', { listen: at('203.0.113.5') }, /^cluster.listen is outside loopback .* need TLS/],
  [
    'an address outside the stated networks',
    {
      listen: at('0.0.0.0'),
      address: new URL('http://192.168.0.5:7421'),
      private_networks: ['10.0.0.0/8'],
    },
    /^cluster.address is outside loopback/,
  ],
  [
    'a name without a stated network',
    {
      listen: at('0.0.0.0'),
      address: new URL('http://gateway-1.internal:7421'),
    },
    /^cluster.address is outside loopback/,
  ],
])('[PROG-19] %s is refused', (_what, changes, words) => {
  expect(problemOf(changes)).toMatch(words)
})
