// Stored decisions that need the signature of a passkey and have none, or another one.

import { expect, test } from 'vitest'
import { SoftwarePasskey } from '../../../../test-kit/software-passkey.ts'
import { type Assertion, isAssertion } from '../presence/assertion.ts'
import { createKeyRing } from '../seal/key-ring.ts'
import { answerDigests } from './answer.ts'
import { soleApprover } from './approval-rule.ts'
import { type Ask, answer, raise } from './ask.ts'
import { checkPresence, presenceProblem, signatureProblem, signatureProblemText } from './ask-signature.ts'
import { aDraft, aQuorum, noon, rollOut } from './asks.corpus.ts'
import { actionDigestOf, askChallenge } from './presence-challenge.ts'
import { signaturesOf } from './stored-signatures.suite.ts'

const ring = createKeyRing([{ id: 'k1', secret: new Uint8Array(32).fill(1) }])
const key = new SoftwarePasskey()
const [origin, rpId] = ['http://localhost:7421', 'localhost'] as const

/** The signature of a passkey over this person's accept. */
function signed(ask: Ask, by: string, nonce = 'n'): Assertion {
  const challenge = askChallenge(ask, answerDigests({ action: 'accept' }), by, nonce)
  const request = { challenge: Buffer.from(challenge).toString('base64url'), rpId }
  const { id, response } = key.get(request, origin) as {
    id: string
    response: { clientDataJSON: string; authenticatorData: string; signature: string }
  }
  const { clientDataJSON: clientData, authenticatorData, signature } = response
  const given = { credentialId: id, clientData, authenticatorData, signature, publicKey: key.publicKey }
  return { ...given, algorithm: key.algorithm, rpId, origin, nonce, actionDigest: actionDigestOf(ask.question) }
}

function voted(ask: Ask, by: string, presence?: Assertion, action: 'accept' | 'decline' = 'accept'): Ask {
  const vote = { answer: { action }, by, via: 'inbox', decisionId: `of ${by}`, ...(presence && { presence }) } as const
  const moved = answer(ask, vote, noon)
  if (!moved.ok) throw new Error(moved.reason)
  return moved.ask
}

const stored = (ask: Ask) => signaturesOf(ring, ask)

const one = raise(aDraft({ question: rollOut(), needsPresence: true }), noon)
const two = raise({ ...aQuorum(2, 'ann', 'ben'), needsPresence: true }, noon)

test('[PRESENCE-4] decisions with the passkey of each voter are valid, and a decline needs none', () => {
  const all = [
    voted(one, 'ann', signed(one, 'ann')),
    voted(voted(two, 'ann', signed(two, 'ann')), 'ben', signed(two, 'ben')),
    voted(two, 'ann', undefined, 'decline'),
  ]
  for (const ask of all) {
    expect(signatureProblem(ring, ask, stored(ask))).toBeUndefined()
    expect(presenceProblem(ask)).toBeUndefined()
  }
})

test.each<[string, Assertion | undefined]>([
  ['no passkey', undefined],
  ['the passkey of another decision', signed(raise(aDraft({ question: rollOut({ env: 'test' }) }), noon), 'ann')],
  ['the passkey of another person', signed(one, 'eve')],
  ['the passkey for a decision of other people', signed({ ...one, approvalRule: soleApprover('eve') }, 'ann')],
  ['a passkey for another action', { ...signed(one, 'ann'), actionDigest: `sha256:${'0'.repeat(64)}` }],
])('[PRESENCE-2] an accept with %s releases nothing, although our own signatures match', (_, presence) => {
  const ask = voted(one, 'ann', presence)
  const problem = { reason: 'presence', what: 'decision' } as const

  expect(signatureProblem(ring, ask, stored(ask))).toEqual(problem)
  expect(presenceProblem(ask)).toEqual(problem)
  expect(signatureProblemText(problem)).toBe('The stored decision has no valid signature of a passkey.')
})

test('[PRESENCE-2] of several votes, each accept needs its own passkey', () => {
  const first = voted(two, 'ann')
  expect(presenceProblem(first)).toEqual({ reason: 'presence', what: 'vote' })
  const both = voted(first, 'ben', signed(two, 'ben'))

  expect(signatureProblem(ring, both, stored(both))).toEqual({ reason: 'presence', what: 'vote' })
  expect(presenceProblem(both)).toEqual({ reason: 'presence', what: 'vote' })
  expect(signatureProblemText({ reason: 'presence', what: 'vote' })).toContain('The stored vote has no valid')
  expect(checkPresence(two, { answer: { action: 'accept' }, by: 'ann' })).toEqual({
    ok: false,
    problem: 'it is missing',
  })
})

test('[PRESENCE-3] the challenge covers the action of an approval, or the declared one of a form', () => {
  const question = rollOut()
  expect(actionDigestOf(question)).toBe(question.digest)
  expect(actionDigestOf({ kind: 'url', message: 'Sign in', url: 'https://example.com/' })).toBe('')
  expect(actionDigestOf({ kind: 'form', message: 'Sure?', form: { fields: [] } })).toBe('')
})

test.each<[string, unknown]>([
  ['text', 'signature'],
  ['null', null],
  ['a response without its key', { ...signed(one, 'ann'), publicKey: undefined }],
  ['an unknown algorithm', { ...signed(one, 'ann'), algorithm: 'none' }],
  ['no signature', { ...signed(one, 'ann'), signature: '' }],
  ['no nonce', { ...signed(one, 'ann'), nonce: 1 }],
])('[PRESENCE-4] %s is not the signature of a passkey', (_, value) => {
  expect(isAssertion(value)).toBe(false)
})
