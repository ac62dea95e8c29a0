import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { StatedNetworks } from '../protocol/networks.ts'
import { callerAddress } from './caller-address.ts'

const proxies = new StatedNetworks(['10.0.0.0/8', 'fd00::/8'])

function from(remoteAddress: string | undefined, forwarded?: string): IncomingMessage {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  return { socket: { remoteAddress }, headers } as unknown as IncomingMessage
}

test('[IDENT-11] the address of a caller is that of its connection, whatever its headers are', () => {
  expect(callerAddress(from('203.0.113.7'), proxies)).toBe('203.0.113.7')
  expect(callerAddress(from('203.0.113.7', '10.1.1.1'), proxies)).toBe('203.0.113.7')
  expect(callerAddress(from('::ffff:203.0.113.7'), proxies)).toBe('203.0.113.7')
  expect(callerAddress(from('fe80::1%eth0'), proxies)).toBe('fe80::1')
  expect(callerAddress(from('10.1.1.1', '203.0.113.7'), new StatedNetworks([]))).toBe('10.1.1.1')
  expect(callerAddress(from(undefined), proxies)).toBeUndefined()
})

test('[IDENT-12] behind trusted proxies it is the last reported address that is not one of them', () => {
  expect(callerAddress(from('10.1.1.1', '203.0.113.7'), proxies)).toBe('203.0.113.7')
  expect(callerAddress(from('10.1.1.1', '198.51.100.1, 203.0.113.7, fd00::2'), proxies)).toBe('203.0.113.7')
  expect(callerAddress(from('10.1.1.1', '203.0.113.7:41000'), proxies)).toBe('203.0.113.7')
  expect(callerAddress(from('10.1.1.1', '[2001:DB8:0::7]:41000'), proxies)).toBe('2001:db8::7')
  expect(callerAddress(from('::ffff:10.1.1.1', '64:ff9b::1.2.3.4'), proxies)).toBe('64:ff9b::102:304')
  expect(callerAddress(from('10.1.1.1'), proxies)).toBe('10.1.1.1')
  expect(callerAddress(from('10.1.1.1', '10.2.2.2'), proxies)).toBe('10.2.2.2')
})

test('[IDENT-12] a report of a trusted proxy that is not an address gives none', () => {
  for (const reported of ['unknown', '', '203.0.113.7,', '_hidden', '1.2.3.4.5', '203.0.113.7, unknown'])
    expect(callerAddress(from('10.1.1.1', reported), proxies)).toBeUndefined()
})
