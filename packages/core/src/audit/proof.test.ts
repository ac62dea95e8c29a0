import { describe, expect, test } from 'vitest'
import { type AuditEntry, type AuditKind, bodyDigest, genesisHash, linkHash } from './chain.ts'
import { type AuditProof, type ProvenEntry, proofFormat, verifyProof } from './proof.ts'

const tenant = 'acme'
const ask = 'ask_1'

/** A chain of these events, each with the hash of the entry before it. */
function chainOf(events: readonly (readonly [AuditKind, string])[]): ProvenEntry[] {
  const entries: ProvenEntry[] = []
  for (const [kind, subject] of events) {
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
  test('[PROOF-1] of one ask verifies without the rest of the log', () => {
    expect(verifyProof(JSON.parse(JSON.stringify(proof)))).toEqual({ ok: true, proof })
    const [first] = chain as [ProvenEntry]
    expect(verifyProof({ ...proof, ask: 'ask_0', entries: [first] }).ok).toBe(true)
  })

  const changed = (at: number, change: Partial<ProvenEntry>) =>
    own.map((entry, index) => (index === at ? { ...entry, ...change } : entry))
  const forged = { body: '{"of":"ask_2"}', digest: bodyDigest('{"of":"ask_2"}') }
  const another = bodyDigest('another')
  test.each<[string, readonly unknown[], number, string]>([
    ['a text was changed', changed(1, { body: '{}' }), 3, 'was changed: its text does not match its digest.'],
    ['a text and its digest were changed', changed(1, forged), 3, 'was changed: its hash does not match.'],
    ['a time was changed', changed(0, { atMs: 1_001 }), 2, 'was changed: its hash does not match.'],
    ['a kind was changed', changed(1, { kind: 'ask.expired' }), 3, 'was changed: its hash does not match.'],
    ['an entry is another tenant’s', changed(1, { tenant: 'other' }), 3, 'belongs to another tenant.'],
    ['an entry is about another ask', changed(1, { subject: 'ask_2' }), 3, 'is about something else.'],
    [
      'an entry does not follow from the one before it',
      changed(1, chainedTo(own[1], another)),
      3,
      'does not follow from the one before it.',
    ],
    ['the order was changed', [own[0], own[2], own[1]], 3, 'is out of order.'],
    ['an entry is listed twice', [own[0], own[1], own[1]], 3, 'is out of order.'],
    ['the first entry is left out', own.slice(1), 3, 'is not the one in which this ask was raised.'],
    ['it begins with another ask', chain.slice(0, 2), 1, 'is not the one in which this ask was raised.'],
  ])('[PROOF-1] is refused when %s', (_, entries, seq, problem) => {
    expect(verifyProof({ ...proof, entries })).toEqual({ ok: false, seq, problem: `Entry ${seq} ${problem}` })
  })

  const members = ['tenant', 'kind', 'subject', 'digest', 'body', 'hash', 'previousHash', 'seq', 'atMs'] as const
  test.each<[string, unknown]>([
    ['is not an object', 'entry'],
    ['is null', null],
    ['has a fractional number', { ...own[0], seq: 1.5 }],
    ['has its time as text', { ...own[0], atMs: '1000' }],
    ...members.map((name): [string, unknown] => [`lacks its ${name}`, { ...own[0], [name]: undefined }]),
  ])('[PROOF-1] is refused when an entry %s', (_, entry) => {
    expect(verifyProof({ ...proof, entries: [entry] })).toEqual({
      ok: false,
      problem: 'An entry of the proof is incomplete.',
    })
  })

  const unknown = 'This is not an audit proof that Assent can read.'
  const incomplete = 'The proof has no tenant, no ask or no entries.'
  test.each([
    ['nothing', undefined, unknown],
    ['a list', [], unknown],
    ['another format', { ...proof, format: 'assent audit proof v0' }, unknown],
    ['no format', { ...proof, format: '' }, unknown],
    ['no tenant', { ...proof, tenant: undefined }, incomplete],
    ['no ask', { ...proof, ask: 1 }, incomplete],
    ['no list of entries', { ...proof, entries: {} }, incomplete],
    ['no entry', { ...proof, entries: [] }, incomplete],
  ])('[PROOF-1] that is %s is rejected', (_, raw, problem) => {
    expect(verifyProof(raw)).toEqual({ ok: false, problem })
  })

  test('[PROOF-1] the first entry is chained to the hash of the tenant’s name', () => {
    const [first] = chain as [ProvenEntry]
    const entries = [{ ...first, ...chainedTo(first, another) }]
    expect(verifyProof({ ...proof, ask: 'ask_0', entries })).toMatchObject({ ok: false, seq: 1 })
  })
})

/** Members that chain this entry to another previous hash. */
function chainedTo(entry: AuditEntry | undefined, previousHash: string): Partial<ProvenEntry> {
  return entry === undefined ? {} : { previousHash, hash: linkHash(previousHash, entry) }
}
