import { describe, expect, test } from 'vitest'
import { type AuditEntry, type AuditKind, bodyDigest, genesisHash, linkHash } from './chain.ts'
import { type AuditProof, type ProvenEntry, proofFormat, verifyProof } from './proof.ts'

const tenant = 'acme'
const ask = 'ask_1'

/** A chain of these moves, each with the hash it stands on. */
function chainOf(moves: readonly (readonly [AuditKind, string])[]): ProvenEntry[] {
  const entries: ProvenEntry[] = []
  for (const [kind, subject] of moves) {
    const previousHash = entries.at(-1)?.hash ?? genesisHash(tenant)
    const body = JSON.stringify({ of: subject })
    const entry = { tenant, seq: entries.length + 1, atMs: 1_000, kind, subject, body, digest: bodyDigest(body) }
    entries.push({ ...entry, hash: linkHash(previousHash, entry), previousHash })
  }
  return entries
}

const chain = chainOf([
  ['ask.raised', 'ask_0'],
  ['ask.raised', ask],
  ['ask.settled', ask],
  ['note', 'passing'],
  ['grant.used', 'grant_1'],
])
const own = [1, 2, 4].map((at) => chain[at] as ProvenEntry)
const proof: AuditProof = { format: proofFormat, tenant, ask, entries: own }

describe('a proof', () => {
  test('[PROOF-1] of what happened to one ask verifies by itself, whatever stands between its entries', () => {
    expect(verifyProof(JSON.parse(JSON.stringify(proof)))).toEqual({ ok: true, proof })
    const [first] = chain as [ProvenEntry]
    expect(verifyProof({ ...proof, ask: 'ask_0', entries: [first] }).ok).toBe(true)
  })

  const changed = (at: number, change: Partial<ProvenEntry>) =>
    own.map((entry, index) => (index === at ? { ...entry, ...change } : entry))
  const forged = { body: '{"of":"ask_2"}', digest: bodyDigest('{"of":"ask_2"}') }
  const another = bodyDigest('another')
  test.each<[string, readonly unknown[], number | undefined]>([
    ['a text was changed', changed(1, { body: '{}' }), 3],
    ['a text and its digest were changed', changed(1, forged), 3],
    ['a time was changed', changed(0, { atMs: 1_001 }), 2],
    ['a kind was changed', changed(1, { kind: 'ask.expired' }), 3],
    ['an entry is another tenant’s', changed(1, { tenant: 'other' }), 3],
    ['an entry is about another ask', changed(1, { subject: 'ask_2' }), 3],
    ['an entry does not stand on the one before it', changed(1, restedOn(own[1], another)), 3],
    ['the order was changed', [own[0], own[2], own[1]], 3],
    ['the first entry is left out', own.slice(1), 3],
    ['an entry lacks its hash', [{ ...own[0], hash: undefined }], undefined],
    ['an entry is no object', ['entry'], undefined],
    ['there is none', [], undefined],
  ])('[PROOF-1] is refused when %s', (_, entries, seq) => {
    const verdict = verifyProof({ ...proof, entries })
    expect(verdict).toMatchObject({ ok: false, ...(seq === undefined ? {} : { seq }) })
  })

  test.each([
    ['nothing', undefined],
    ['a list', []],
    ['another format', { ...proof, format: 'assent audit proof v0' }],
    ['no tenant', { ...proof, tenant: undefined }],
    ['no ask', { ...proof, ask: 1 }],
    ['no entries', { ...proof, entries: {} }],
  ])('[PROOF-1] is none when it is %s', (_, raw) => {
    expect(verifyProof(raw).ok).toBe(false)
  })

  test('[PROOF-1] the first of all entries stands on the tenant’s name', () => {
    const [first] = chain as [ProvenEntry]
    const entries = [{ ...first, ...restedOn(first, another) }]
    expect(verifyProof({ ...proof, ask: 'ask_0', entries })).toMatchObject({ ok: false, seq: 1 })
  })
})

/** The same entry with a hash that follows from another one. */
function restedOn(entry: AuditEntry | undefined, previousHash: string): Partial<ProvenEntry> {
  return entry === undefined ? {} : { previousHash, hash: linkHash(previousHash, entry) }
}
