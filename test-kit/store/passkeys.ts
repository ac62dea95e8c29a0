// Registers passkeys in a store, and answers asks with them, as a page of the inbox does.

import { randomBytes } from 'node:crypto'
import {
  type Ask,
  type AssertionResponse,
  answerDigests,
  askChallenge,
  checkAnswer,
  newId,
  newPasskeyDigest,
  passkeyChallenge,
} from '@assent/core'
import type { AnswerRequest, AnswerResult, Store, VerifiedKey } from '@assent/store'
import { type PasskeyChanges, SoftwarePasskey } from '../software-passkey.ts'

const party = { rpId: 'localhost', origin: 'http://localhost:7421' } as const

export function aState(store: Store): { id: string; expiresAtMs: number } {
  return { id: newId('state', Date.now(), randomBytes), expiresAtMs: store.nowMs() + 60_000 }
}

function responseOf(key: SoftwarePasskey, challenge: Uint8Array, changes: PasskeyChanges = {}): AssertionResponse {
  const text = Buffer.from(challenge).toString('base64url')
  const { id, response } = key.get({ challenge: text, rpId: party.rpId }, party.origin, changes) as unknown as {
    id: string
    response: { clientDataJSON: string; authenticatorData: string; signature: string }
  }
  const { clientDataJSON: clientData, authenticatorData, signature } = response
  return { credentialId: id, clientData, authenticatorData, signature }
}

/** Adds a key: as the first one, or with the signature of another. */
export async function addKey(
  store: Store,
  principal: string,
  key: SoftwarePasskey = new SoftwarePasskey(),
  by?: SoftwarePasskey,
  tenant = 'acme',
): Promise<{ key: SoftwarePasskey; id: string | undefined }> {
  const digest = newPasskeyDigest({ credentialId: key.id, publicKey: key.publicKey, name: 'Laptop' })
  const authorised = by === undefined ? undefined : await signChange(store, principal, by, 'authorise', digest, tenant)
  const terms = { tenant, principal, credentialId: key.id, publicKey: key.publicKey, algorithm: key.algorithm }
  const added = { ...terms, rpId: party.rpId, name: 'Laptop', signCount: key.counter, state: aState(store) }
  return { key, id: await store.passkeys.add(authorised?.ok === true ? { ...added, by: authorised } : added) }
}

export function signChange(
  store: Store,
  principal: string,
  key: SoftwarePasskey,
  change: 'authorise' | 'remove',
  passkey: string,
  tenant = 'acme',
): Promise<VerifiedKey> {
  const nonce = randomBytes(16).toString('base64url')
  const challenge = passkeyChallenge({ tenant, by: principal, change, passkey, nonce })
  const signed = { response: responseOf(key, challenge), ...party, nonce, actionDigest: '' }
  return store.passkeys.verify({ tenant, principal }, signed, challenge)
}

/** An accept with the signature of a passkey, as a surface sends it. */
export function signedAnswer(
  store: Store,
  ask: Ask,
  principal: string,
  answer: unknown,
  key: SoftwarePasskey,
  changes: PasskeyChanges = {},
): AnswerRequest & Required<Pick<AnswerRequest, 'presence' | 'state'>> {
  const { tenant } = ask
  const nonce = randomBytes(16).toString('base64url')
  // The answer of a page for a secret is only the accept.
  const checked =
    answer === undefined ? ({ ok: true, answer: { action: 'accept' } } as const) : checkAnswer(ask.question, answer)
  if (!checked.ok) throw new Error('The answer does not fit.')
  const challenge = askChallenge(ask, answerDigests(checked.answer), principal, nonce)
  const presence = { response: responseOf(key, challenge, changes), ...party, nonce }
  const person = { principal, groups: [] }
  return { tenant, id: ask.id, person, via: 'inbox', answer, presence, state: aState(store) }
}

export function isRefused({ kind }: AnswerResult): boolean {
  return kind === 'presence'
}
