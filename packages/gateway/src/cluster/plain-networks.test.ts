import type { LookupOptions } from 'node:dns'
import { describe, expect, test } from 'vitest'
import { networkIn } from '../protocol/networks.ts'
import { PlainNetworks } from './plain-networks.ts'

type Done = (error: null, found: readonly { address: string; family: number }[]) => void

test('[FLEET-16] without stated networks, only loopback may be used without TLS', () => {
  const none = new PlainNetworks()

  for (const host of ['127.0.0.1', '127.0.0.2', '::1', '[::1]', 'localhost']) expect(none.mayContain(host)).toBe(true)
  for (const host of ['10.0.0.1', '8.8.8.8', 'fd00::1', 'replica-1.internal', '0.0.0.0'])
    expect([host, none.mayContain(host)]).toEqual([host, false])
})

test('[FLEET-16] in stated networks, addresses are checked, and names when they are resolved', async () => {
  const stated = new PlainNetworks(['10.0.0.0/8', 'fd00::/8'])
  for (const host of ['10.1.2.3', 'fd00::1', '[fd12::1]', 'replica-1.internal'])
    expect(stated.mayContain(host)).toBe(true)
  for (const host of ['11.0.0.1', '192.168.0.1', 'fe80::1']) expect(stated.mayContain(host)).toBe(false)
  const lookUp = (name: string, networks: PlainNetworks) =>
    new Promise((resolve) => networks.lookup(name, { all: true }, (error, found) => resolve(error?.message ?? found)))

  expect(await lookUp('localhost', stated)).toEqual(expect.arrayContaining([expect.objectContaining({ family: 4 })]))
  expect(await lookUp('8.8.8.8', stated)).toContain('is not in a network where TLS is not required')
})

test('[FLEET-16] what is not a network is refused', () => {
  for (const text of [
    '10.0.0.0',
    '10.0.0.0/33',
    'fd00::/129',
    'private/8',
    '10.0.0.0/',
    '/8',
    '10.0.0.0/0008',
    '10.0.0.0/8x',
    'x10.0.0.0/8',
    '10.0.0.0/8\n',
    '10.0.0.0/x',
    '',
  ])
    expect([text, networkIn(text)]).toEqual([text, undefined])
  expect(() => new PlainNetworks(['x'])).toThrow(new TypeError('Not a network.'))
})

test('[FLEET-16] a network is an address and the number of its bits', () => {
  expect(networkIn('10.0.0.0/8')).toEqual({ address: '10.0.0.0', bits: 8 })
  expect(networkIn('10.1.2.3/32')).toEqual({ address: '10.1.2.3', bits: 32 })
  expect(networkIn('FD00::/128')).toEqual({ address: 'FD00::', bits: 128 })
})

test('[FLEET-16] only one of two stated networks has to contain an address', () => {
  const stated = new PlainNetworks(['10.0.0.0/8', '192.168.0.0/16'])

  expect(['10.255.255.255', '192.168.1.1', '192.169.0.1'].map((host) => stated.mayContain(host))).toEqual([
    true,
    true,
    false,
  ])
})

describe('names', () => {
  const stated = new PlainNetworks(['10.0.0.0/8'])
  const lookUp = (name: string, options: LookupOptions) =>
    new Promise((resolve) => {
      stated.lookup(name, options, (error, found, family) => resolve(error ?? { found, family }))
    })

  test('[FLEET-16] a name is resolved to one address or to all, as the caller asks', async () => {
    expect(await lookUp('127.0.0.1', {})).toEqual({ found: '127.0.0.1', family: 4 })
    expect(await lookUp('127.0.0.1', { all: true })).toEqual({ found: [{ address: '127.0.0.1', family: 4 }] })
    expect(await lookUp('10.1.2.3', {})).toEqual({ found: '10.1.2.3', family: 4 })
  })

  test('[FLEET-16] a name with an address outside the stated networks is refused', async () => {
    for (const options of [{}, { all: true }])
      expect(await lookUp('8.8.8.8', options)).toEqual(
        new Error('8.8.8.8 is not in a network where TLS is not required.'),
      )
  })

  test('[FLEET-16] a name with addresses inside and outside the stated networks is refused', async () => {
    const both = [
      { address: '10.1.2.3', family: 4 },
      { address: '8.8.8.8', family: 4 },
    ]
    const resolve = (_name: string, _options: object, done: Done) => done(null, both)
    const networks = new PlainNetworks(['10.0.0.0/8'], resolve as never)
    const refused = await new Promise((done) => networks.lookup('replica.internal', { all: true }, done))

    expect(refused).toBeInstanceOf(Error)
  })

  test('[FLEET-16] a name that cannot be resolved fails with the error of the resolver', async () => {
    expect(await lookUp('name..invalid', {})).toMatchObject({ syscall: 'getaddrinfo' })
    expect(await lookUp('name..invalid', { all: true })).toMatchObject({ syscall: 'getaddrinfo' })
  })
})
