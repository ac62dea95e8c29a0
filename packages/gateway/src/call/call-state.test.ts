import { expect, test } from 'vitest'
import { type CallState, isOnlyAtClient, isRouted, readCallState, relayPart, writeCallState } from './call-state.ts'

const relay = {
  server: 'deploy',
  inner: { held: 'call_1' },
  schemas: { q: { type: 'object' } },
  isPrefixed: true,
  target: 'run',
  round: { id: 'round', atMs: 5 },
} as const
const routed: CallState = {
  ...relay,
  wanted: { q: { kind: 'roots', params: {} } },
  onRecord: { q: 'ask_1' },
  inInbox: { q: 'ask_2' },
  copies: { q: 'ask_3' },
  kept: { q: { result: { action: 'accept' } } },
  hasInboxAnswer: true,
  waits: 3,
  untilMs: 9,
}
const overTheWire = (state: CallState) => readCallState(JSON.parse(JSON.stringify(writeCallState(state))))

test('[SEAL-1] a state is read as it was written', () => {
  expect(overTheWire(relay)).toEqual(relay)
  expect(overTheWire(routed)).toEqual(routed)
  const least = { server: 'deploy', inner: null, schemas: {}, isPrefixed: false }
  expect(overTheWire(least)).toEqual(least)
})

test('[SEAL-1] the relay gets only its own part', () => {
  expect(relayPart(routed)).toEqual(relay)
  expect(isRouted(routed)).toBe(true)
  expect(isRouted(relayPart(routed))).toBe(false)
})

test.each([
  [undefined],
  [null],
  ['text'],
  [[]],
  [{}],
  [{ server: 'deploy' }],
  [{ schemas: {} }],
  [{ server: 1, schemas: {} }],
])('[RELAY-6] something else is rejected: %j', (value) => {
  expect(readCallState(value)).toBeUndefined()
})

test('[RELAY-6] members of another type are ignored', () => {
  const odd = {
    ...relay,
    isPrefixed: 'yes',
    target: 7,
    round: { id: 1, atMs: 'x' },
    wanted: {},
    waits: 'many',
    untilMs: '9',
  }
  const empty = { wanted: {}, onRecord: {}, inInbox: {}, copies: {}, kept: {}, waits: 0 }
  const { target: _target, round: _round, ...rest } = relay
  expect(readCallState(odd)).toEqual({ ...rest, isPrefixed: false, ...empty })
})

test('[FLEET-13] only a call without any ask is at the client alone', () => {
  const none = { ...routed, onRecord: {}, inInbox: {}, copies: {} }
  expect(isOnlyAtClient(relay)).toBe(true)
  expect(isOnlyAtClient(none)).toBe(true)
  for (const some of ['onRecord', 'inInbox', 'copies'] as const) {
    expect(isOnlyAtClient({ ...none, [some]: { q: 'ask_1' } })).toBe(false)
  }
})
