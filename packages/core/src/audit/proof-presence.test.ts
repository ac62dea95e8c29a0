// Proofs of decisions that were made with a passkey, and of decisions that need one and have none.

import { expect, test } from 'vitest'
import { SoftwarePasskey } from '../../../../test-kit/software-passkey.ts'
import { type Answer, answerDigests } from '../ask/answer.ts'
import { soleApprover } from '../ask/approval-rule.ts'
import { presenceChallenge, ruleDigestOf } from '../ask/presence-challenge.ts'
import type { JsonObject } from '../json.ts'
import type { Assertion } from '../presence/assertion.ts'
import { entriesOfEvents, proofIn } from './entries.suite.ts'
import { verifyProof } from './proof.ts'

const [tenant, ask, origin, rpId] = ['acme', 'ask_1', 'http://localhost:7421', 'localhost'] as const
const key = new SoftwarePasskey()
const questionDigest = `sha256:${'a'.repeat(64)}`
const actionDigest = `sha256:${'b'.repeat(64)}`
const accept = { action: 'accept', comment: 'Go.' } as const
const approvalRule = soleApprover('ann')
const raised = { questionDigest, actionDigest, needsPresence: true, approvalRule }

function signedBy(by: string, given: Answer = accept): JsonObject {
  const asked = { tenant, askId: ask, questionDigest, actionDigest, ruleDigest: ruleDigestOf(approvalRule) }
  const terms = { ...asked, answer: answerDigests(given), by, nonce: 'n' }
  const challenge = Buffer.from(presenceChallenge(terms)).toString('base64url')
  const { id, response } = key.get({ challenge, rpId }, origin) as {
    id: string
    response: { clientDataJSON: string; authenticatorData: string; signature: string }
  }
  const { clientDataJSON: clientData, authenticatorData, signature } = response
  const parts = { credentialId: id, clientData, authenticatorData, signature, publicKey: key.publicKey }
  const assertion: Assertion = { ...parts, algorithm: key.algorithm, rpId, origin, nonce: 'n', actionDigest }
  return { ...assertion }
}

/** The verdict on a proof with an entry that raised the ask and one that settled it. Digests and hashes match. */
async function proofOf(asked: unknown, decided: unknown, kind: 'ask.settled' | 'ask.voted' = 'ask.settled') {
  const bodies = [asked, decided].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
  const entries = entriesOfEvents([
    { kind: 'ask.raised', subject: ask, counter: 1, body: bodies[0] ?? '' },
    { kind, subject: ask, counter: 2, body: bodies[1] ?? '' },
  ])
  return verifyProof(await proofIn(entries, ask, entries))
}

test('[PRESENCE-8] a proof with the passkey of the person verifies, with the answer or with its digests', async () => {
  const presence = signedBy('ann')
  expect(await proofOf(raised, { by: 'ann', answer: accept, presence })).toMatchObject({ ok: true })
  expect(await proofOf(raised, { by: 'ann', answer: answerDigests(accept), presence })).toMatchObject({ ok: true })
  expect(await proofOf(raised, { by: 'ann', answer: accept, presence }, 'ask.voted')).toMatchObject({ ok: true })
  const withContent: Answer = { action: 'accept', content: { region: 'eu' } }
  const signed = { by: 'ann', answer: withContent, presence: signedBy('ann', withContent) }
  expect(await proofOf(raised, signed)).toMatchObject({ ok: true })
})

test('[PRESENCE-8] an accept that needs a passkey and has none is refused; a decline needs none', async () => {
  expect(await proofOf(raised, { by: 'ann', answer: accept })).toEqual({
    ok: false,
    seq: 2,
    problem: 'Entry 2 has no signature of a passkey, and needs one.',
  })
  expect(await proofOf(raised, { by: 'ann', answer: { action: 'decline' } })).toMatchObject({ ok: true })
  expect(await proofOf({ questionDigest }, { by: 'ann', answer: accept })).toMatchObject({ ok: true })
})

test.each<[string, unknown, unknown, string]>([
  ['is not complete', raised, { by: 'ann', answer: accept, presence: { signature: 'x' } }, 'it is not complete'],
  ['names no person', raised, { answer: accept, presence: signedBy('ann') }, 'it is not complete'],
  ['has no answer', raised, { by: 'ann', presence: signedBy('ann') }, 'it is not complete'],
  [
    'is for another action',
    { ...raised, actionDigest: `sha256:${'c'.repeat(64)}` },
    { by: 'ann', answer: accept, presence: signedBy('ann') },
    'it is for another action',
  ],
  [
    'is for another question',
    { ...raised, questionDigest: `sha256:${'c'.repeat(64)}` },
    { by: 'ann', answer: accept, presence: signedBy('ann') },
    'it is for another decision',
  ],
  [
    'was given under another approval rule',
    { ...raised, approvalRule: { ...approvalRule, approvers: ['person:ann', 'person:eve'] } },
    { by: 'ann', answer: accept, presence: signedBy('ann') },
    'it is for another decision',
  ],
  [
    'has no approval rule',
    { questionDigest, actionDigest, needsPresence: true },
    { by: 'ann', answer: accept, presence: signedBy('ann') },
    'the approval rule is missing',
  ],
  [
    'has an approval rule that cannot be read',
    { ...raised, approvalRule: { approvers: ['\ud800'] } },
    { by: 'ann', answer: accept, presence: signedBy('ann') },
    'the approval rule is missing',
  ],
  [
    'is of another person',
    raised,
    { by: 'eve', answer: accept, presence: signedBy('ann') },
    'it is for another decision',
  ],
  [
    'is for another answer',
    raised,
    { by: 'ann', answer: { ...accept, comment: 'Stop.' }, presence: signedBy('ann') },
    'it is for another decision',
  ],
])('[PRESENCE-8] a signature that %s is refused', async (_, asked, decided, why) => {
  expect(await proofOf(asked, decided)).toEqual({
    ok: false,
    seq: 2,
    problem: `The signature of a passkey in entry 2 is not valid: ${why}.`,
  })
})

test('[PROOF-1] an entry whose text is not an object proves no presence', async () => {
  expect(await proofOf(raised, '[]')).toMatchObject({ ok: true })
  expect(await proofOf(raised, '{"a":1,"a":2}')).toMatchObject({ ok: true })
  expect(await proofOf('[]', { by: 'ann', answer: accept, presence: signedBy('ann') })).toMatchObject({ ok: false })
})
