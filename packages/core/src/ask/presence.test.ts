import { expect, test } from 'vitest'
import { type PasskeyChanges, SoftwarePasskey } from '../../../../test-kit/software-passkey.ts'
import type { Field } from '../form/form.ts'
import { type Assertion, isAssertion, isAssertionResponse, verifyAssertion } from '../presence/assertion.ts'
import { isSignedPasskey, passkeyChallenge, signPasskey } from '../presence/passkey.ts'
import { createKeyRing } from '../seal/key-ring.ts'
import { answerDigests } from './answer.ts'
import { soleApprover } from './approval-rule.ts'
import { type AskDraft, raise } from './ask.ts'
import { askTerms, signAsk, signatureProblem, signVote } from './ask-signature.ts'
import { decisionForm } from './decision.ts'
import {
  isPresenceSetting,
  isWeakerPresence,
  needsPresence,
  presenceSettings,
  requiresPresence,
  stricterPresence,
} from './needs-presence.ts'
import { actionDigestOf, askChallenge, type PresenceTerms, presenceChallenge } from './presence-challenge.ts'
import type { Question } from './question.ts'

const origin = 'http://localhost:7421'
const rpId = 'localhost'
const terms: PresenceTerms = {
  tenant: 'acme',
  askId: 'ask_1',
  questionDigest: 'sha256:aa',
  actionDigest: 'sha256:bb',
  answer: { action: 'accept', contentDigest: 'sha256:cc', commentDigest: 'sha256:dd' },
  by: 'ann',
  ruleDigest: 'sha256:rr',
  nonce: 'n',
}
const encoded = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')

function assertionOf(key: SoftwarePasskey, challenge: Uint8Array, changes: PasskeyChanges = {}): Assertion {
  const { id, response } = key.get({ challenge: encoded(challenge), rpId }, origin, changes) as {
    id: string
    response: { clientDataJSON: string; authenticatorData: string; signature: string }
  }
  const { clientDataJSON: clientData, authenticatorData, signature } = response
  const given = { credentialId: id, clientData, authenticatorData, signature }
  return { ...given, publicKey: key.publicKey, algorithm: key.algorithm, rpId, origin, nonce: 'n', actionDigest: '' }
}

test.each(['ES256', 'EdDSA', 'RS256'] as const)(
  '[PRESENCE-4] a signature with %s verifies with its own public key',
  (algorithm) => {
    const key = new SoftwarePasskey({ algorithm })
    const challenge = presenceChallenge(terms)
    const assertion = assertionOf(key, challenge)
    expect(verifyAssertion(assertion, challenge)).toEqual({ ok: true, signCount: 2 })
    expect(isAssertion(assertion)).toBe(true)
    expect(isAssertion(JSON.parse(JSON.stringify(assertion)))).toBe(true)
  },
)

test.each<[string, PasskeyChanges, string]>([
  ['another challenge', { challenge: encoded(presenceChallenge({ ...terms, askId: 'ask_2' })) }, 'another decision'],
  ['another origin', { origin: 'http://localhost:9999' }, 'another page'],
  ['another host', { rpId: 'evil.example' }, 'another host'],
  ['a registration', { type: 'webauthn.create' }, 'not a signature for a decision'],
  ['no person present', { flags: 0x04 }, 'no person was present'],
  ['a person who was not verified', { flags: 0x01 }, 'the person was not verified'],
  ['a page inside another site', { crossOrigin: true }, 'another site'],
])('[PRESENCE-4] a signature with %s is refused', (_, changes, why) => {
  const challenge = presenceChallenge(terms)
  const checked = verifyAssertion(assertionOf(new SoftwarePasskey(), challenge, changes), challenge)
  expect(checked).toMatchObject({ ok: false, problem: expect.stringContaining(why) })
})

test('[PRESENCE-4] a changed, foreign or unreadable part makes a signature invalid', () => {
  const challenge = presenceChallenge(terms)
  const good = assertionOf(new SoftwarePasskey(), challenge)
  const other = new SoftwarePasskey()
  const rsa = new SoftwarePasskey({ algorithm: 'RS256' })
  const changed: Partial<Assertion>[] = [
    { publicKey: other.publicKey },
    { publicKey: rsa.publicKey },
    { algorithm: 'EdDSA' },
    { algorithm: 'RS256' },
    { publicKey: 'AAAA' },
    { signature: assertionOf(other, challenge).signature },
    { signature: 'AAAA' },
    { signature: `${good.signature}=` },
    { clientData: encoded(Buffer.from('{')) },
    { clientData: encoded(Buffer.from('[]')) },
    { clientData: '' },
    { authenticatorData: 'AAAA' },
    { origin: 'https://other.example' },
    { rpId: 'other.example' },
  ]
  for (const change of changed) expect(verifyAssertion({ ...good, ...change }, challenge)).toMatchObject({ ok: false })
  expect(verifyAssertion(good, challenge).ok).toBe(true)
})

test('[PRESENCE-3] the challenge names the ask, the action, the decision, the person, the approval rule and the nonce', () => {
  const changes: Partial<PresenceTerms>[] = [
    { tenant: 'other' },
    { askId: 'ask_2' },
    { questionDigest: 'sha256:ee' },
    { actionDigest: 'sha256:ee' },
    { answer: { ...terms.answer, action: 'decline' } },
    { answer: { ...terms.answer, contentDigest: 'sha256:ee' } },
    { answer: { ...terms.answer, commentDigest: 'sha256:ee' } },
    { answer: { action: 'accept' } },
    { by: 'ben' },
    { ruleDigest: 'sha256:ee' },
    { nonce: 'other' },
  ]
  const all = [terms, ...changes.map((change) => ({ ...terms, ...change }))].map((one) =>
    encoded(presenceChallenge(one)),
  )
  expect(new Set(all).size).toBe(all.length)
  const passkeys = (['create', 'authorise', 'remove'] as const).map((change) =>
    encoded(passkeyChallenge({ tenant: 'acme', by: 'ann', change, passkey: '', nonce: 'n' })),
  )
  expect(new Set([...all, ...passkeys]).size).toBe(all.length + 3)
})

test('[PRESENCE-1] each setting covers what the weaker ones cover', () => {
  const approval = { kind: 'approval' } as const
  const decision = { kind: 'form', form: decisionForm } as const
  const text = { kind: 'form', form: { fields: [{ kind: 'text', name: 'a', required: true }] } } as const
  const destructive = { ...text, isDestructive: true } as const
  const inTool = { ...text, isInDestructiveTool: true } as const
  const byPolicy = { ...approval, isDestructive: true } as const
  const ofTool = { ...approval, isInDestructiveTool: true } as const
  const asked = [approval, decision, text, { kind: 'url' } as const, destructive, inTool, byPolicy, ofTool]
  const covered = (setting: (typeof presenceSettings)[number]) => asked.map((one) => needsPresence(setting, one))
  expect(covered('none')).toEqual([false, false, false, false, false, false, false, false])
  expect(covered('destructive')).toEqual([false, false, false, false, true, true, true, true])
  expect(covered('approvals')).toEqual([true, true, false, false, true, true, true, true])
  expect(covered('all')).toEqual([true, true, true, true, true, true, true, true])
  // The forms of the built-in tools: a plan, a commit, a yes or no.
  const choice = (name: string, ...values: string[]) =>
    ({ kind: 'choice', name, required: true, options: values.map((value) => ({ value })) }) as const
  const comment = { kind: 'text', name: 'feedback', required: false } as const
  const forms: readonly [boolean, ...Field[]][] = [
    [true, choice('decision', 'approve', 'request_changes', 'cancel'), comment],
    [true, choice('decision', 'commit_and_continue', 'commit_and_pause', 'abort')],
    [true, { kind: 'boolean', name: 'confirmed', required: true }],
    [true, comment, { kind: 'boolean', name: 'force', required: false }],
    [false, choice('colour', 'red', 'blue')],
    [false, comment],
  ]
  for (const [isCovered, ...fields] of forms)
    expect(needsPresence('approvals', { kind: 'form', form: { fields } })).toBe(isCovered)
  for (const [at, one] of presenceSettings.entries()) {
    for (const [other_at, other] of presenceSettings.entries()) {
      expect(isWeakerPresence(one, other)).toBe(at < other_at)
      expect(stricterPresence(one, other)).toBe(presenceSettings[Math.max(at, other_at)])
    }
  }
  expect([isPresenceSetting('all'), isPresenceSetting('some'), isPresenceSetting(undefined)]).toEqual([
    true,
    false,
    false,
  ])
})

test('[PRESENCE-1] the ask and the setting in force each suffice', () => {
  const question: Question = { kind: 'form', message: 'Name?', form: { fields: [] } }
  expect(requiresPresence({ question })).toBe(false)
  expect(requiresPresence({ question, needsPresence: true }, 'none')).toBe(true)
  expect(requiresPresence({ question }, 'approvals')).toBe(true)
  expect(actionDigestOf(question)).toBe('')
})

test('[PRESENCE-5] a stored passkey is signed with the key ring, with all of its parts', () => {
  const ring = createKeyRing([{ id: 'a', secret: new Uint8Array(32).fill(1) }])
  const other = createKeyRing([{ id: 'a', secret: new Uint8Array(32).fill(2) }])
  const rotated = createKeyRing([
    { id: 'b', secret: new Uint8Array(32).fill(3) },
    { id: 'a', secret: new Uint8Array(32).fill(1) },
  ])
  const key = {
    ...{ tenant: 'acme', id: 'passkey_1', principal: 'ann', credentialId: 'c', publicKey: 'p' },
    ...({ algorithm: 'ES256', rpId: 'localhost', name: 'Laptop' } as const),
  }
  const signature = signPasskey(ring, key)
  expect(isSignedPasskey(ring, key, signature)).toBe(true)
  expect(isSignedPasskey(rotated, key, signature)).toBe(true)
  expect(isSignedPasskey(other, key, signature)).toBe(false)
  for (const member of Object.keys(key)) expect(isSignedPasskey(ring, { ...key, [member]: 'x' }, signature)).toBe(false)
  for (const wrong of ['', 'v1', 'v1.a.', 'v1.x.y', `${signature}x`])
    expect(isSignedPasskey(ring, key, wrong)).toBe(false)
})

test('[PRESENCE-3] only four texts of base64url are a response', () => {
  const good = { credentialId: 'a', clientData: 'b', authenticatorData: 'c', signature: 'd' }
  expect(isAssertionResponse(good)).toBe(true)
  for (const member of Object.keys(good)) {
    for (const value of [undefined, 1, '', 'ä', 'a b', 'x'.repeat(16_385)])
      expect(isAssertionResponse({ ...good, [member]: value })).toBe(false)
  }
  expect(isAssertionResponse(null)).toBe(false)
  expect(isAssertion({ ...good })).toBe(false)
})

test('[PRESENCE-8] a row whose signatures all match is refused if it needs presence and has no valid signature of a passkey', () => {
  const ring = createKeyRing([{ id: 'a', secret: new Uint8Array(32).fill(1) }])
  const draft = {
    ...{
      tenant: 'acme',
      id: 'ask_1',
      asker: { server: 'deploy' },
      principal: 'ann',
      approvalRule: soleApprover('ann'),
    },
    question: { kind: 'form', message: 'Go?', form: decisionForm },
    ...({ needsPresence: true, decideWithinMs: 1_000, useWithinMs: 1_000 } as const),
  } as const
  const key = new SoftwarePasskey()
  const vote = {
    answer: { action: 'accept', content: { decision: 'approve' } },
    by: 'ann',
    via: 'inbox',
    decisionId: 'd',
  } as const
  const presence = assertionOf(key, askChallenge(draft, answerDigests(vote.answer), 'ann', 'n'))
  const problemWith = (changes: object, ask: AskDraft = draft) => {
    const open = raise(ask, 0)
    const cast = { ...vote, ...changes }
    const signatures = { ask: signAsk(ring, ask), decision: signVote(ring, askTerms(open), cast), votes: [] }
    return signatureProblem(ring, { ...open, state: { kind: 'settled', atMs: 1, ...cast } }, signatures)
  }
  expect(problemWith({ presence })).toBeUndefined()
  const refused = { reason: 'presence', what: 'decision' }
  expect(problemWith({})).toEqual(refused)
  expect(problemWith({ presence: { ...presence, publicKey: new SoftwarePasskey().publicKey } })).toEqual(refused)
  expect(problemWith({ presence: { ...presence, actionDigest: 'x' } })).toEqual(refused)
  expect(problemWith({ presence, by: 'ben' })).toEqual(refused)
  expect(problemWith({ answer: { action: 'decline' } })).toBeUndefined()
  const { needsPresence: _, ...plain } = draft
  expect(problemWith({}, plain)).toBeUndefined()
  expect(problemWith({ presence: { ...presence, nonce: 'other' } }, plain)).toEqual(refused)
})
