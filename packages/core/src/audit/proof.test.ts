import { describe, expect, test } from 'vitest'
import type { AuditKind } from '../log/audit-kinds.ts'
import { signerFrom } from '../log/keys.suite.ts'
import { entriesOfEvents, logSigner, origin, proofIn, resealed, tenant } from './entries.suite.ts'
import { type ProvenEntry, verifyProof } from './proof.ts'

const ask = 'ask_1'
const events: readonly (readonly [AuditKind, string, number])[] = [
  ['ask.raised', 'ask_0', 1],
  ['ask.raised', ask, 1],
  ['ask.settled', ask, 2],
  ['note', 'passing', 0],
  ['grant.used', 'grant_1', 1],
]
const log = entriesOfEvents(
  events.map(([kind, subject, counter]) => ({ kind, subject, counter, body: JSON.stringify({ of: subject }) })),
)
const proof = await proofIn(
  log,
  ask,
  [1, 2, 4].flatMap((at) => log[at] ?? []),
)
const own = proof.entries as [ProvenEntry, ProvenEntry, ProvenEntry]
const keys = [logSigner.key]

describe('a proof', () => {
  test('[PROOF-1] of one ask verifies without the rest of the log', async () => {
    expect(verifyProof(JSON.parse(JSON.stringify(proof)), keys)).toMatchObject({ ok: true, proof, head: { size: 5 } })
    expect(verifyProof(proof)).toMatchObject({ ok: true })
    expect(verifyProof(await proofIn(log, 'ask_0', log.slice(0, 1)), keys).ok).toBe(true)
  })

  test('[TLOG-11] is refused without a signature of a log that is trusted', () => {
    const other = signerFrom(8, origin)
    expect(verifyProof(proof, [other.key])).toMatchObject({ ok: false, problem: expect.stringContaining('trusted') })
    expect(verifyProof({ ...proof, logKeys: [] })).toMatchObject({ ok: false })
    const checkpoint = proof.checkpoint.replace('\n5\n', '\n6\n')
    expect(verifyProof({ ...proof, checkpoint }, keys)).toMatchObject({ ok: false })
  })

  test('[TLOG-11] is refused as the proof of another tenant than the one whose log signed it', () => {
    const relabelled = { ...proof, tenant: 'other', entries: own.map((entry) => ({ ...entry, tenant: 'other' })) }
    const problem = 'The checkpoint is not one of the log of other.'
    expect(verifyProof(relabelled, keys)).toEqual({ ok: false, problem })
    expect(verifyProof(relabelled)).toEqual({ ok: false, problem })
  })

  test('[TLOG-11] is refused if an entry is not in the tree that was signed', () => {
    const forged = { ...own[1], ...resealed({ ...own[1], body: '{"of":"ask_2"}' }) }
    const problem = 'Entry 3 is not in the log that signed the checkpoint.'
    const with3 = (entry: ProvenEntry) => verifyProof({ ...proof, entries: [own[0], entry, own[2]] }, keys)
    expect(with3(forged)).toEqual({ ok: false, seq: 3, problem })
    expect(with3({ ...own[1], inclusion: own[0].inclusion })).toEqual({ ok: false, seq: 3, problem })
    expect(with3({ ...own[1], inclusion: ['x'] })).toEqual({ ok: false, seq: 3, problem })
    expect(with3({ ...own[1], inclusion: [] })).toEqual({ ok: false, seq: 3, problem })
  })

  const changed = (at: number, change: Partial<ProvenEntry>) =>
    own.map((entry, index) => (index === at ? { ...entry, ...change } : entry))
  const digest = `sha256:${'a'.repeat(64)}`
  test.each<[string, readonly unknown[], number, string]>([
    ['a text was changed', changed(1, { body: '{}' }), 3, 'was changed: its text does not match its digest.'],
    ['a salt was changed', changed(1, { salt: '00' }), 3, 'was changed: its text does not match its digest.'],
    [
      'a salt has another spelling',
      changed(1, { salt: own[1].salt.replace(/0$/, '').concat('0zz') }),
      3,
      'was changed: its text does not match its digest.',
    ],
    ['a digest was changed', changed(1, { digest }), 3, 'was changed: its text does not match its digest.'],
    [
      'the digest of a signature was added',
      changed(1, { assertionDigest: digest }),
      3,
      'was changed: its signature does not match its digest.',
    ],
    ['a time was changed', changed(0, { atMs: 1_001 }), 2, 'was changed: its hash does not match.'],
    ['a kind was changed', changed(1, { kind: 'ask.expired' }), 3, 'was changed: its hash does not match.'],
    ['a digest is not one', changed(1, { digest: 'x' }), 3, 'was changed: it is not an audit entry.'],
    ['an entry is another tenant’s', changed(1, { tenant: 'other' }), 3, 'belongs to another tenant.'],
    ['an entry is about another ask', changed(1, { subject: 'ask_2' }), 3, 'is about something else.'],
    ['the order was changed', [own[0], own[2], own[1]], 3, 'is out of order.'],
    ['an entry is listed twice', [own[0], own[1], own[1]], 3, 'is out of order.'],
    ['a number was changed', changed(1, { counter: 3 }), 3, 'is out of order, or one before it is missing.'],
    ['the first entry is left out', own.slice(1), 3, 'is not the one in which this ask was raised.'],
    ['it begins with another ask', [{ ...log[0], inclusion: [] }], 1, 'is not the one in which this ask was raised.'],
  ])('[PROOF-1] is refused when %s', (_, entries, seq, problem) => {
    expect(verifyProof({ ...proof, entries }, keys)).toEqual({ ok: false, seq, problem: `Entry ${seq} ${problem}` })
  })

  const members = [
    ...(['tenant', 'kind', 'subject', 'digest', 'salt', 'body', 'hash'] as const),
    ...(['inclusion', 'seq', 'atMs', 'counter'] as const),
  ]
  test.each<[string, unknown]>([
    ['is not an object', 'entry'],
    ['is null', null],
    ['has a fractional number', { ...own[0], seq: 1.5 }],
    ['has its time as text', { ...own[0], atMs: '1000' }],
    ['has another kind of digest', { ...own[0], assertionDigest: 1 }],
    ['has too many hashes', { ...own[0], inclusion: Array(64).fill('x') }],
    ...members.map((name): [string, unknown] => [`lacks its ${name}`, { ...own[0], [name]: undefined }]),
  ])('[PROOF-1] is refused when an entry %s', (_, entry) => {
    expect(verifyProof({ ...proof, entries: [entry] }, keys)).toEqual({
      ok: false,
      problem: 'An entry of the proof is incomplete.',
    })
  })

  const unknown = 'This is not an audit proof that Assent can read.'
  const incomplete = 'The proof has no tenant, no ask or no entries.'
  const unsigned = 'The proof has no checkpoint or no keys.'
  test.each([
    ['nothing', undefined, unknown],
    ['a list', [], unknown],
    ['another format', { ...proof, format: 'assent audit proof v1' }, unknown],
    ['no format', { ...proof, format: '' }, unknown],
    ['no tenant', { ...proof, tenant: undefined }, incomplete],
    ['no ask', { ...proof, ask: 1 }, incomplete],
    ['no list of entries', { ...proof, entries: {} }, incomplete],
    ['no entry', { ...proof, entries: [] }, incomplete],
    ['no checkpoint', { ...proof, checkpoint: undefined }, unsigned],
    ['no keys', { ...proof, logKeys: [1] }, unsigned],
  ])('[PROOF-1] that is %s is rejected', (_, raw, problem) => {
    expect(verifyProof(raw, keys)).toEqual({ ok: false, problem })
  })

  test('[PROOF-1] of another tenant is rejected', () => {
    expect(verifyProof({ ...proof, tenant: `${tenant}2` }, keys)).toMatchObject({ ok: false })
    const entries = own.map((entry, at) => (at === 1 ? { ...entry, tenant: 'other' } : entry))
    expect(verifyProof({ ...proof, entries }, keys)).toMatchObject({
      seq: 3,
      problem: 'Entry 3 belongs to another tenant.',
    })
  })
})
