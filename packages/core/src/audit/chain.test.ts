import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AuditEntry, bodyDigest, ChainVerifier, genesisHash, linkHash } from './chain.ts'
import { signCheckpoint, verifyCheckpoint } from './checkpoint.ts'

function aChain(length: number, tenant = 'acme'): AuditEntry[] {
  const entries: AuditEntry[] = []
  let previous = genesisHash(tenant)
  for (let seq = 1; seq <= length; seq++) {
    const body = JSON.stringify({ seq })
    const link = { seq, atMs: 1_000 + seq, kind: 'note', subject: `ask_${seq}`, digest: bodyDigest(body) } as const
    previous = linkHash(previous, link)
    entries.push({ tenant, body, hash: previous, ...link })
  }
  return entries
}

function verdictOn(entries: readonly AuditEntry[], checkpoints: { seq: number; hash: string }[] = []) {
  const verifier = new ChainVerifier('acme', checkpoints)
  for (const entry of entries) verifier.add(entry)
  return verifier.verdict()
}

test('[AUDIT-1] a chain as it was written verifies', () => {
  const chain = aChain(5)

  expect(verdictOn(chain)).toEqual({ ok: true, lastSeq: 5, lastHash: chain[4]?.hash })
  expect(verdictOn([])).toEqual({ ok: true, lastSeq: 0, lastHash: genesisHash('acme') })
})

const changes: [what: string, change: (entry: AuditEntry) => AuditEntry][] = [
  ['its text', (entry) => ({ ...entry, body: '{"seq":0}' })],
  ['its text and digest', (entry) => ({ ...entry, body: '{}', digest: bodyDigest('{}') })],
  ['its time', (entry) => ({ ...entry, atMs: entry.atMs + 1 })],
  ['its kind', (entry) => ({ ...entry, kind: 'ask.settled' })],
  ['its subject', (entry) => ({ ...entry, subject: 'ask_0' })],
  ['its hash', (entry) => ({ ...entry, hash: bodyDigest('x') })],
  ['its tenant', (entry) => ({ ...entry, tenant: 'other' })],
  ['its number', (entry) => ({ ...entry, seq: entry.seq + 1 })],
]

test.each(changes)('[AUDIT-1] an entry that was changed in %s is named', (_, change) => {
  const chain = aChain(5).map((entry) => (entry.seq === 3 ? change(entry) : entry))

  expect(verdictOn(chain)).toMatchObject({ ok: false, seq: 3, problem: expect.stringMatching(/^Entry 3 /) })
})

test('[AUDIT-1] no removal, repetition, swap or splice of entries goes unnoticed', () => {
  const chain = aChain(12)
  const index = fc.integer({ min: 0, max: 10 })
  fc.assert(
    fc.property(index, index, fc.constantFrom('remove', 'repeat', 'swap', 'splice'), (a, b, attack) => {
      const changed = [...chain]
      const [first, second] = [chain[a] as AuditEntry, chain[b] as AuditEntry]
      if (attack === 'remove') changed.splice(a, 1)
      if (attack === 'repeat') changed.splice(a, 0, first)
      if (attack === 'swap') [changed[a], changed[b]] = [second, first]
      if (attack === 'splice') changed.splice(a, 1, aChain(12, 'other')[a] as AuditEntry)
      fc.pre(attack !== 'swap' || a !== b)
      expect(verdictOn(changed).ok).toBe(false)
    }),
  )
})

test('[AUDIT-2] a checkpoint shows that the end was cut off, which the chain alone cannot', () => {
  const chain = aChain(5)
  const checkpoint = { seq: 5, hash: chain[4]?.hash ?? '' }

  expect(verdictOn(chain.slice(0, 3)).ok).toBe(true)
  expect(verdictOn(chain.slice(0, 3), [checkpoint])).toMatchObject({ ok: false, seq: 4 })
  expect(verdictOn(chain, [checkpoint]).ok).toBe(true)
})

test('[AUDIT-2] a checkpoint shows that the whole record was rewritten', () => {
  const forged = aChain(5).map((entry) => entry)
  const real = { seq: 4, hash: bodyDigest('the hash that was signed') }

  expect(verdictOn(forged).ok).toBe(true)
  expect(verdictOn(forged, [real])).toMatchObject({ ok: false, seq: 4 })
})

test('[AUDIT-2] a checkpoint is good only as it was signed, by the key that signed it', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const other = generateKeyPairSync('ed25519')
  const signed = signCheckpoint({ tenant: 'acme', seq: 5, hash: 'h', atMs: 1, keyId: 'k1' }, privateKey)

  expect(verifyCheckpoint(signed, publicKey)).toBe(true)
  expect(verifyCheckpoint(signed, other.publicKey)).toBe(false)
  for (const change of [{ tenant: 'x' }, { seq: 6 }, { hash: 'i' }, { atMs: 2 }, { keyId: 'k2' }]) {
    expect(verifyCheckpoint({ ...signed, ...change }, publicKey)).toBe(false)
  }
  for (const signature of ['', `${signed.signature}=`, `${signed.signature} `, signed.signature.slice(1)]) {
    expect(verifyCheckpoint({ ...signed, signature }, publicKey)).toBe(false)
  }
})
