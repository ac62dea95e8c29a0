import { randomBytes } from 'node:crypto'
import { newId } from '@assent/core'
import { AEAD_AES_256_GCM, CipherSuite, KDF_HKDF_SHA256, KEM_DHKEM_P256_HKDF_SHA256 } from 'hpke'
import { expect, test } from 'vitest'
import { openSecret, publicKeyOf } from './sealed.ts'

const suite = new CipherSuite(KEM_DHKEM_P256_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM)
const text = new TextEncoder()
const binding = { page: newId('secret', Date.now(), randomBytes), server: 'deploy', principal: 'ann' }
const key = new Uint8Array(randomBytes(32))

/** The browser's side, implemented again for this test; the code of the page is tested in a real browser. */
async function sealed(secret: string, changes: { padded?: Uint8Array; to?: string } = {}) {
  const { padded = paddedOf(secret), to = publicKeyOf(key, binding.page) } = changes
  const aad = text.encode(JSON.stringify(['assent secret v1', binding.page, binding.server, binding.principal]))
  const recipient = await suite.DeserializePublicKey(new Uint8Array(Buffer.from(to, 'base64url')))
  const { encapsulatedSecret, ciphertext } = await suite.Seal(recipient, padded, {
    aad,
    info: text.encode('assent secret v1'),
  })
  const base64url = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64url')
  return { enc: base64url(encapsulatedSecret), ct: base64url(ciphertext) }
}

function paddedOf(secret: string, length = text.encode(secret).length): Uint8Array {
  const all = new Uint8Array(256)
  new DataView(all.buffer).setUint32(0, length)
  all.set(text.encode(secret), 4)
  return all
}

test('[SECRET-3] a sealed secret opens as it was typed', async () => {
  for (const secret of ['x', 'correct horse battery staple', 'päßwörd 🔑', '  spaces  ', 'line\nline'])
    expect(await openSecret(key, await sealed(secret), binding)).toBe(secret)
})

test('[SECRET-4] replicas with the same key derive the same key pair, and another one for every page', () => {
  expect(publicKeyOf(Uint8Array.from(key), binding.page)).toBe(publicKeyOf(key, binding.page))
  expect(publicKeyOf(key, newId('secret', Date.now(), randomBytes))).not.toBe(publicKeyOf(key, binding.page))
  expect(publicKeyOf(new Uint8Array(randomBytes(32)), binding.page)).not.toBe(publicKeyOf(key, binding.page))
})

test('[SECRET-3] on another page, for another server, by another person or with another key it does not open', async () => {
  const given = await sealed('a secret')
  const other = newId('secret', Date.now(), randomBytes)
  for (const changes of [{ page: other }, { server: 'other' }, { principal: 'ben' }])
    await expect(openSecret(key, given, { ...binding, ...changes })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  const stranger = new Uint8Array(randomBytes(32))
  await expect(openSecret(stranger, given, binding)).rejects.toMatchObject({ code: 'validation_failed' })
})

test('[SECRET-3] altered in any of its bits it does not open, and the error contains nothing of it', async () => {
  const given = await sealed('a secret')
  for (const part of ['enc', 'ct'] as const) {
    const bytes = Buffer.from(given[part], 'base64url')
    for (let at = 0; at < bytes.length; at += 7) {
      const flipped = Buffer.from(bytes)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8))
      const opening = openSecret(key, { ...given, [part]: flipped.toString('base64url') }, binding)
      const error: unknown = await opening.catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ code: 'validation_failed' })
      expect(String(error)).not.toContain('a secret')
    }
  }
  for (const wrong of [
    { enc: '', ct: '' },
    { ...given, ct: '' },
    { ...given, enc: given.ct },
  ])
    await expect(openSecret(key, wrong, binding)).rejects.toMatchObject({ code: 'validation_failed' })
})

test('[SECRET-3] a wrong length, and bytes that are not text, are refused', async () => {
  for (const padded of [
    paddedOf('abc', 253),
    paddedOf('abc', 2 ** 31),
    Uint8Array.of(0, 0, 0, 1, 0xff),
    new Uint8Array(3),
  ])
    await expect(openSecret(key, await sealed('', { padded }), binding)).rejects.toMatchObject({
      code: 'validation_failed',
    })
})
