import { Buffer } from 'node:buffer'
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { expect, test } from 'vitest'
import { actionDigest, toolDefinitionDigest } from '../digest/action.ts'
import { newId } from '../ids.ts'
import { type ReceiptStatement, signReceipt, verifyReceipt } from './receipt.ts'

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const action = {
  server: 'deploy',
  tool: 'deploy',
  definitionDigest: toolDefinitionDigest({ name: 'deploy' }),
  arguments: { env: 'production' },
}
const statement: ReceiptStatement = {
  askId: newId('ask', 1, randomBytes),
  grantId: newId('grant', 2, randomBytes),
  actionDigest: actionDigest(action),
  principal: 'ann',
  approvedBy: 'bért 🙂',
  decidedAtMs: 3,
  usedAtMs: 4,
  keyId: 'k1',
}

test('[RECEIPT-1] a receipt is verified with the public key alone and returns its statement', () => {
  expect(verifyReceipt(signReceipt(statement, privateKey), publicKey)).toEqual({ ok: true, statement })
})

test('[RECEIPT-2] a receipt that is altered, cut, extended or encoded differently is refused', () => {
  const receipt = signReceipt(statement, privateKey)
  for (let at = 0; at < receipt.length; at++) {
    const other = receipt[at] === 'A' ? 'B' : 'A'
    expect(verifyReceipt(receipt.slice(0, at) + other + receipt.slice(at + 1), publicKey).ok).toBe(false)
    expect(verifyReceipt(receipt.slice(0, at), publicKey).ok).toBe(false)
  }
  for (const extra of ['A', '=', '.', ' ', '\n', receipt]) {
    expect(verifyReceipt(receipt + extra, publicKey).ok).toBe(false)
    expect(verifyReceipt(extra + receipt, publicKey).ok).toBe(false)
  }
  // The last character of a base64url text can hold bits that decoding ignores.
  for (const last of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
    const spelled = receipt.slice(0, -1) + last
    if (spelled !== receipt) expect(verifyReceipt(spelled, publicKey).ok).toBe(false)
  }
})

test('[RECEIPT-2] a receipt is refused under any other key', () => {
  const receipt = signReceipt(statement, privateKey)
  const others = [
    generateKeyPairSync('ed25519').publicKey,
    generateKeyPairSync('x25519').publicKey,
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey,
  ]
  for (const other of others) {
    expect(verifyReceipt(receipt, other)).toEqual({ ok: false, reason: 'not-signed-by-this-key' })
  }
})

test('[RECEIPT-2] the signature of one statement is not valid for another', () => {
  const [, , signature] = signReceipt(statement, privateKey).split('.')
  const [head, body] = signReceipt({ ...statement, principal: 'eve' }, privateKey).split('.')
  expect(verifyReceipt([head, body, signature].join('.'), publicKey).ok).toBe(false)
})

test('[RECEIPT-2] signed content that is not a valid statement is refused', () => {
  const signed = (value: unknown) => {
    const body = `assentreceipt1.${Buffer.from(JSON.stringify(value)).toString('base64url')}`
    return `${body}.${sign(null, Buffer.from(body), privateKey).toString('base64url')}`
  }
  const whole: unknown[] = Object.values(statement)
  expect(verifyReceipt(signed(whole), publicKey).ok).toBe(true)
  expect(verifyReceipt(signed(whole.with(5, 0).with(6, 0)), publicKey).ok).toBe(true)
  const ofAnotherKind = whole.flatMap((_, at) => [null, -1, 0.5, [], ''].map((part) => whole.with(at, part)))
  for (const value of [
    [],
    {},
    null,
    8,
    'k1',
    [...whole, 1],
    whole.slice(1),
    whole.with(0, 'ask_1'),
    ...ofAnotherKind,
  ]) {
    expect(verifyReceipt(signed(value), publicKey)).toEqual({ ok: false, reason: 'malformed' })
  }
})

test('[RECEIPT-2] a signed statement in a non-canonical encoding is refused', () => {
  const texts = [JSON.stringify(Object.values(statement), null, 1), `${JSON.stringify(Object.values(statement))} `, '[']
  for (const text of texts) {
    const body = `assentreceipt1.${Buffer.from(text).toString('base64url')}`
    const receipt = `${body}.${sign(null, Buffer.from(body), privateKey).toString('base64url')}`
    expect(verifyReceipt(receipt, publicKey)).toEqual({ ok: false, reason: 'malformed' })
  }
})

test('[RECEIPT-2] only text of at most 4,096 characters is read', () => {
  const signature = Buffer.alloc(64).toString('base64url')
  const long = (chars: number) => `assentreceipt1.${'A'.repeat(chars - signature.length - 16)}.${signature}`
  expect(verifyReceipt(long(4_096), publicKey)).toEqual({ ok: false, reason: 'not-signed-by-this-key' })
  expect(verifyReceipt(long(4_097), publicKey)).toEqual({ ok: false, reason: 'malformed' })
  expect(verifyReceipt([signReceipt(statement, privateKey)], publicKey)).toEqual({ ok: false, reason: 'malformed' })
})

test.each([undefined, null, 7, {}, [], '', '.', '..', 'assentreceipt1..', 'x'.repeat(10_000)])(
  '[RECEIPT-2] a value that is not a receipt is refused: %j',
  (value) => {
    expect(verifyReceipt(value, publicKey)).toEqual({ ok: false, reason: 'malformed' })
  },
)

test.each<[string, Partial<ReceiptStatement>]>([
  ['an id of another kind', { askId: statement.grantId }],
  ['no digest', { actionDigest: 'sha256:0' }],
  ['no approver', { approvedBy: '' }],
  ['a time that is not a number', { usedAtMs: Number.NaN }],
  ['a name with an unpaired surrogate', { principal: '\ud800' }],
])('[RECEIPT-3] an invalid statement is not signed: %s', (_, change) => {
  expect(() => signReceipt({ ...statement, ...change }, privateKey)).toThrow(
    expect.objectContaining({
      code: 'misconfigured',
      message: 'A receipt must have valid ids, names, a digest and two times.',
    }),
  )
})
