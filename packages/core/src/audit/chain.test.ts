import { createHash, generateKeyPairSync, verify } from 'node:crypto'
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

test('[AUDIT-1] an unchanged chain verifies', () => {
  const chain = aChain(5)

  expect(verdictOn(chain)).toEqual({ ok: true, lastSeq: 5, lastHash: chain[4]?.hash })
  expect(verdictOn([])).toEqual({ ok: true, lastSeq: 0, lastHash: genesisHash('acme') })
})

test('[AUDIT-1] the hashes have the documented format, so that another program can verify them', () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const genesis = sha256('assent audit v1\nacme')
  expect(genesisHash('acme')).toBe(genesis)
  expect(aChain(1)[0]?.hash).toBe(sha256(`${genesis}|1|1001|note|ask_1|${sha256('{"seq":1}')}`))
})

const notFollowing = 'Entry 3 does not follow from the one before it.'
const changes: [what: string, change: (entry: AuditEntry) => AuditEntry, problem: string][] = [
  [
    'its text',
    (entry) => ({ ...entry, body: '{"seq":0}' }),
    'Entry 3 was changed: its text does not match its digest.',
  ],
  ['its text and digest', (entry) => ({ ...entry, body: '{}', digest: bodyDigest('{}') }), notFollowing],
  ['its time', (entry) => ({ ...entry, atMs: entry.atMs + 1 }), notFollowing],
  ['its kind', (entry) => ({ ...entry, kind: 'ask.settled' }), notFollowing],
  ['its subject', (entry) => ({ ...entry, subject: 'ask_0' }), notFollowing],
  ['its hash', (entry) => ({ ...entry, hash: bodyDigest('x') }), notFollowing],
  ['its tenant', (entry) => ({ ...entry, tenant: 'other' }), 'Entry 3 belongs to another tenant.'],
  ['its number', (entry) => ({ ...entry, seq: 7 }), 'Entry 3 is missing: the next one found is 7.'],
]

test.each(changes)('[AUDIT-1] the verdict names the entry whose %s was changed', (_, change, problem) => {
  const chain = aChain(5).map((entry) => (entry.seq === 3 ? change(entry) : entry))

  expect(verdictOn(chain)).toEqual({ ok: false, seq: 3, problem })
})

test('[AUDIT-1] after the first invalid entry no other entry is accepted', () => {
  const [first, second, third] = aChain(3) as [AuditEntry, AuditEntry, AuditEntry]
  const verifier = new ChainVerifier('acme')
  const isAccepted = [first, { ...second, body: '{}' }, second, third].map((entry) => verifier.add(entry))

  expect(isAccepted).toEqual([true, false, false, false])
  expect(verifier.verdict()).toMatchObject({ ok: false, seq: 2 })
})

test('[AUDIT-1] every removal, repetition, swap or insertion of entries is found', () => {
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
  expect(verdictOn(chain.slice(0, 3), [checkpoint])).toEqual({
    ok: false,
    seq: 4,
    problem: 'The log ends at entry 3, but a checkpoint shows that it had reached entry 5.',
  })
  expect(verdictOn(chain, [checkpoint]).ok).toBe(true)
})

test('[AUDIT-2] a checkpoint shows that the whole log was rewritten', () => {
  const forged = aChain(5).map((entry) => entry)
  const real = { seq: 4, hash: bodyDigest('the hash that was signed') }

  expect(verdictOn(forged).ok).toBe(true)
  expect(verdictOn(forged, [real])).toEqual({
    ok: false,
    seq: 4,
    problem: 'Entry 4 is not the one that was signed: the log was rewritten up to here.',
  })
})

test('[AUDIT-2] a checkpoint verifies only unchanged and with the key that signed it', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const other = generateKeyPairSync('ed25519')
  const signed = signCheckpoint({ tenant: 'acme', seq: 5, hash: 'h', atMs: 1, keyId: 'k1' }, privateKey)

  expect(verifyCheckpoint(signed, publicKey)).toBe(true)
  const stated = Buffer.from('["assent audit checkpoint v1","acme",5,"h",1,"k1"]')
  expect(verify(null, stated, publicKey, Buffer.from(signed.signature, 'base64url'))).toBe(true)
  expect(verifyCheckpoint(signed, other.publicKey)).toBe(false)
  for (const change of [{ tenant: 'x' }, { seq: 6 }, { hash: 'i' }, { atMs: 2 }, { keyId: 'k2' }]) {
    expect(verifyCheckpoint({ ...signed, ...change }, publicKey)).toBe(false)
  }
  for (const signature of ['', `${signed.signature}=`, `${signed.signature} `, signed.signature.slice(1)]) {
    expect(verifyCheckpoint({ ...signed, signature }, publicKey)).toBe(false)
  }
})
