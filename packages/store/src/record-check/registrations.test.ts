import { expect, test } from 'vitest'
import { Registrations } from './registrations.ts'

const parts = { credentialId: 'a2V5', publicKey: 'cHVi', algorithm: 'ES256', rpId: 'localhost' }
const signed = { clientData: 'ZGF0YQ', authenticatorData: 'YXV0aA', signature: 'c2ln', origin: 'o', nonce: 'n' }
const presence = { ...parts, ...signed, actionDigest: '' }

function entry(kind: string, subject: string, place: number | null, id: number, body: object) {
  return { tenant: 'acme', kind, subject, place, id, body: JSON.stringify(body) }
}

const added = (place: number | null, id: number) =>
  entry('passkey.added', 'passkey_1', place, id, { principal: 'ann', ...parts, name: 'Laptop' })
const removed = (place: number | null, id: number) => entry('passkey.removed', 'passkey_1', place, id, { by: 'reset' })
const decided = (place: number | null, id: number) => entry('ask.settled', 'ask_1', place, id, { by: 'ann', presence })

test('[PRESENCE-7] a key counts from its registration to its removal, by the places in the log', () => {
  // The numbers of stored entries are not signed: with them, the decision would be before the removal.
  const registered = new Registrations([added(0, 1), removed(1, 9)])

  expect(registered.problemIn([decided(2, 5)])).toContain('had not registered')
  expect(new Registrations([added(0, 1), removed(2, 3)]).problemIn([decided(1, 5)])).toBeUndefined()
  expect(new Registrations([added(2, 1)]).problemIn([decided(1, 5)])).toContain('had not registered')
})

test('[PRESENCE-7] entries that have no place yet are after the others, in the order in which they were written', () => {
  expect(new Registrations([added(0, 1)]).problemIn([decided(null, 5)])).toBeUndefined()
  expect(new Registrations([added(null, 4)]).problemIn([decided(null, 5)])).toBeUndefined()
  expect(new Registrations([added(null, 4), removed(null, 5)]).problemIn([decided(null, 6)])).toBeDefined()
  expect(new Registrations([added(null, 4)]).problemIn([decided(3, 5)])).toBeDefined()
})
