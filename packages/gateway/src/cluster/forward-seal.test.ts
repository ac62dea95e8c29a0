import { createHash, randomBytes } from 'node:crypto'
import { createKeyRing, type JsonValue, requestDigest, seal } from '@assent/core'
import { expect, onTestFinished, test } from 'vitest'
import { clusterLimits, setLimits } from '../limits.ts'
import { aForwarding as forwarding, keys, aRequest as request } from './cluster.suite.ts'
import { type ForwardedRequest, ForwardSeals, ownPath, sealForward } from './forward-seal.ts'

function aReceiver(replica = 'b', ring = keys) {
  const clock = { nowMs: 1_000_000 }
  const seals = new ForwardSeals(ring, replica, () => clock.nowMs)
  const sealed = sealForward(keys, request, forwarding, clock.nowMs)
  return { clock, seals, sealed }
}

test('[FLEET-16] a sealed request opens once, with its person, tenant, sender, groups, roles and address', () => {
  const { seals, sealed } = aReceiver()

  expect(seals.open(sealed, request)).toEqual({ ok: true, forwarding })
  expect(seals.open(sealed, request)).toEqual({ ok: false, why: 'replayed' })
})

test('[FLEET-16] a request without a client, roles and an address has none after it was opened', () => {
  const { seals, clock } = aReceiver()
  const { client: _client, roles: _roles, address: _address, ...without } = forwarding

  expect(seals.open(sealForward(keys, request, without, clock.nowMs), request)).toStrictEqual({
    ok: true,
    forwarding: without,
  })
})

test.each<[string, Partial<ForwardedRequest>]>([
  ['method', { method: 'DELETE' }],
  ['path', { path: '/calls/continue' }],
  ['body', { body: '{"id":2}' }],
  ['a header', { headers: { ...request.headers, 'mcp-session-id': 'other' } }],
  ['one more header', { headers: { ...request.headers, 'x-more': '1' } }],
  ['one header less', { headers: { 'mcp-session-id': 's' } }],
])('[FLEET-16] a request whose %s was changed is forged', (_what, change) => {
  const { seals, sealed } = aReceiver()

  expect(seals.open(sealed, { ...request, ...change })).toEqual({ ok: false, why: 'forged' })
  expect(seals.open(sealed, request).ok).toBe(true)
})

test('[FLEET-16] a seal with another key, a changed seal and no seal are forged', () => {
  const { seals, sealed } = aReceiver('b', createKeyRing([{ id: 'k', secret: randomBytes(32) }]))
  const own = aReceiver()

  expect(seals.open(sealed, request)).toEqual({ ok: false, why: 'forged' })
  for (const text of [undefined, '', 'x', `${own.sealed.slice(0, -4)}AAAA`])
    expect(own.seals.open(text, request)).toEqual({ ok: false, why: 'forged' })
})

test('[FLEET-16] a seal is valid for less than a lease', () => {
  const { clock, seals, sealed } = aReceiver()

  clock.nowMs += clusterLimits.forwardValidMs

  expect(seals.open(sealed, request)).toEqual({ ok: false, why: 'expired' })
})

test('[FLEET-16] a seal does not open again when the clock of the database steps back after it has expired', () => {
  const { clock, seals, sealed } = aReceiver()
  const startedMs = clock.nowMs
  expect(seals.open(sealed, request).ok).toBe(true)

  clock.nowMs += clusterLimits.forwardValidMs
  expect(seals.open(sealForward(keys, request, forwarding, clock.nowMs), request).ok).toBe(true)
  clock.nowMs = startedMs + 1

  expect(seals.open(sealed, request)).toEqual({ ok: false, why: 'replayed' })
})

test('[FLEET-16] a request for another replica is misdirected', () => {
  const { seals, sealed } = aReceiver('c')

  expect(seals.open(sealed, request)).toEqual({ ok: false, why: 'misdirected' })
})

test('[FLEET-16] a request from the replica itself is a loop, except for its own id', () => {
  const { clock, seals } = aReceiver()
  const own = { ...forwarding, from: 'b' }
  const check = { method: 'GET', path: ownPath, headers: {}, body: '' }

  expect(seals.open(sealForward(keys, request, own, clock.nowMs), request)).toEqual({ ok: false, why: 'loop' })
  expect(seals.open(sealForward(keys, check, own, clock.nowMs), check).ok).toBe(true)
})

test('[FLEET-16] used seals are remembered until they expire, and then deleted', () => {
  const { clock, seals, sealed } = aReceiver()
  seals.open(sealed, request)

  clock.nowMs += clusterLimits.forwardValidMs - 1
  expect(seals.open(sealed, request)).toEqual({ ok: false, why: 'replayed' })
  clock.nowMs += 1
  expect(seals.open(sealForward(keys, request, forwarding, clock.nowMs), request).ok).toBe(true)
  expect(seals.open(sealed, request)).toEqual({ ok: false, why: 'expired' })
})

test('[FLEET-16] a receiver that has accepted too many requests refuses more until some have expired', () => {
  onTestFinished(setLimits(clusterLimits, { forwardedAtOnce: 2 }))
  const { clock, seals, sealed } = aReceiver()
  const open = () => seals.open(sealForward(keys, request, forwarding, clock.nowMs), request)
  const tooMany = { ok: false, why: 'too-many' }
  expect(seals.open(sealed, request).ok).toBe(true)
  clock.nowMs += 1
  expect(open().ok).toBe(true)

  expect(open()).toEqual(tooMany)
  clock.nowMs += 2 * clusterLimits.forwardValidMs - 1
  expect(open().ok).toBe(true)
  expect(open()).toEqual(tooMany)
})

test('[FLEET-16] whether a replica sealed a header is known without its request, also after it has expired', () => {
  const { clock, seals, sealed } = aReceiver()
  expect(seals.isSealed(sealed)).toBe(true)
  clock.nowMs += clusterLimits.forwardValidMs
  expect(seals.isSealed(sealed)).toBe(true)

  for (const text of [undefined, '', 'x', `${sealed.slice(0, -4)}AAAA`]) expect(seals.isSealed(text)).toBe(false)
  expect(aReceiver('b', createKeyRing([{ id: 'k', secret: randomBytes(32) }])).seals.isSealed(sealed)).toBe(false)
})

/** A token that was sealed with the key ring of the gateway, but not by `sealForward`. */
function sealedAs(payload: JsonValue, binding = { principal: 'replica', purpose: 'forwarded request' }): string {
  const body = createHash('sha256').update(bare.body).digest('hex')
  const digest = requestDigest({ method: 'POST', target: '/mcp', arguments: { headers: bare.headers, body } })
  const times = { nowMs: 1_000_000, random: (bytes: number) => randomBytes(bytes) }
  return seal(keys, { ...binding, requestDigest: digest, ttlMs: 1_000 }, payload, times)
}

const bare = { method: 'POST', path: '/mcp', headers: {}, body: '' }
const payload = { from: 'a', to: 'b', tenant: 'default', principal: 'issuer#ann', groups: ['ops'] }

test('[FLEET-16] a token that was sealed for something else is forged', () => {
  const { seals } = aReceiver()

  for (const binding of [
    { principal: 'issuer#ann', purpose: 'forwarded request' },
    { principal: 'replica', purpose: 'state' },
  ]) {
    expect(seals.open(sealedAs(payload, binding), bare)).toEqual({ ok: false, why: 'forged' })
    expect(seals.isSealed(sealedAs(payload, binding))).toBe(false)
  }
  expect(seals.open(sealedAs(payload), bare).ok).toBe(true)
})

test.each<[string, JsonValue]>([
  ['a text', 'forwarded'],
  ['null', null],
  ['a list', ['a', 'b']],
  ['without a sender', { ...payload, from: 7 }],
  ['without a receiver', { ...payload, to: null }],
  ['without a tenant', { ...payload, tenant: {} }],
  ['without a person', { from: 'a', to: 'b', tenant: 'default', groups: [] }],
])('[FLEET-16] a seal whose content is %s is forged', (_what, content) => {
  expect(aReceiver().seals.open(sealedAs(content), bare)).toEqual({ ok: false, why: 'forged' })
})

test('[FLEET-16] groups that are not texts are left out', () => {
  const { seals } = aReceiver()
  const groupsOf = (groups: JsonValue) => {
    const opened = seals.open(sealedAs({ ...payload, groups }), bare)
    return opened.ok ? opened.forwarding.groups : undefined
  }

  expect(groupsOf(['ops', 7, null, 'dev'])).toEqual(['ops', 'dev'])
  expect(groupsOf('ops')).toEqual([])
})
