import { expect, test } from 'vitest'
import { isRoutable, StatedNetworks } from './networks.ts'

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '127.8.8.8',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.8',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '64:ff9b::7f00:1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
  '2001::1',
  '2001:db8::1',
  '2002:7f00:1::',
  'localhost',
  '',
])('[MESSAGE-5] %s is not reachable from everywhere', (address) => {
  expect(isRoutable(address)).toBe(false)
})

test.each(['8.8.8.8', '172.15.255.255', '172.32.0.1', '192.167.1.1', '2606:4700::1111', '2a00:1450:4001::1'])(
  '[MESSAGE-5] %s is reachable from everywhere',
  (address) => {
    expect(isRoutable(address)).toBe(true)
  },
)

test('[MESSAGE-5] only the stated networks are stated, also in the form of a mapped address', () => {
  const networks = new StatedNetworks(['10.1.0.0/16', 'fd00::/8'])

  expect(['10.1.2.3', 'fd00::7', '::ffff:10.1.2.3'].map((one) => networks.contains(one))).toEqual([true, true, true])
  expect(['10.2.0.1', '127.0.0.1', 'fe80::1', 'name'].map((one) => networks.contains(one))).toEqual(
    Array(4).fill(false),
  )
  expect(new StatedNetworks([]).contains('10.1.2.3')).toBe(false)
})
