import { describe, expect, test } from 'vitest'
import type { AuditKind } from '../log/audit-kinds.ts'
import { entriesOfEvents, logSigner, proofIn, tenant, treeOf } from './entries.suite.ts'
import { type AuditEntry, entryProblem } from './entry.ts'
import { type ErasureBody, Erasures, erasureSubject } from './erasure.ts'
import { LogVerifier } from './log-verifier.ts'
import { verifyProof } from './proof.ts'

const dayMs = 24 * 60 * 60 * 1_000
const kinds: readonly AuditKind[] = ['ask.raised', 'ask.settled', 'grant.used', 'note', 'passkey.added']

/** Five entries of the first day, and one that records an erasure. */
function aLog(erasure: ErasureBody | ((log: readonly AuditEntry[]) => ErasureBody), atMs = 10 * dayMs): AuditEntry[] {
  const first = kinds.map((kind, at) => ({
    kind,
    subject: `s_${at}`,
    counter: 0,
    body: `{"at":${at}}`,
    atMs: 1_000 + at,
  }))
  const body = typeof erasure === 'function' ? erasure(entriesOfEvents(first)) : erasure
  const last = { kind: 'record.erased', subject: erasureSubject, counter: 0, body: JSON.stringify(body), atMs } as const
  return entriesOfEvents([...first, last])
}

const erased = (entry: AuditEntry) => ({ ...entry, salt: '', body: '' })

/** The verdict on a log of which these entries were erased. */
function verdictOn(log: readonly AuditEntry[], places: readonly number[], recorded = log) {
  const verifier = new LogVerifier(tenant, [treeOf(log)], new Erasures(recorded))
  for (const [at, entry] of log.entries()) verifier.add(places.includes(at) ? erased(entry) : entry)
  return verifier.verdict()
}

const expired = { reason: 'expired', before: dayMs } as const

describe('an erased text', () => {
  test('[RETAIN-1] is accepted and counted if the log records the erasure', () => {
    expect(verdictOn(aLog(expired), [0, 1, 2, 3])).toMatchObject({ ok: true, erased: 4, lastSeq: 6 })
    const onRequest = aLog((log) => ({ reason: 'request', digests: [1, 4].map((at) => log[at]?.digest ?? '') }))
    expect(verdictOn(onRequest, [1, 4])).toMatchObject({ ok: true, erased: 2 })
  })

  test('[RETAIN-1] is reported if the log does not record the erasure', () => {
    const problem = 'The text of entry 2 was erased, and no entry of the log allows that.'
    expect(verdictOn(aLog(expired), [1], [])).toEqual({ ok: false, seq: 2, problem })
    expect(verdictOn(aLog({ ...expired, before: 1_001 }), [1])).toEqual({ ok: false, seq: 2, problem })
    expect(verdictOn(aLog({ reason: 'request', digests: [] }), [1])).toEqual({ ok: false, seq: 2, problem })
    // What belongs to no ask does not expire.
    expect(verdictOn(aLog(expired), [4])).toMatchObject({ ok: false, seq: 5 })
    expect(verdictOn(aLog(expired), [5])).toMatchObject({ ok: false, seq: 6 })
  })

  test('[RETAIN-1] is reported if it is newer than any retention allows', () => {
    expect(verdictOn(aLog(expired, 2 * dayMs), [1])).toMatchObject({ ok: true })
    expect(verdictOn(aLog(expired, 2 * dayMs - 1), [1])).toMatchObject({ ok: false, seq: 2 })
  })

  test('[RETAIN-1] is reported if only one part is missing, or anything else was changed', () => {
    const log = aLog(expired)
    for (const change of [{ body: '' }, { salt: '' }, { ...erased(log[1] as AuditEntry), atMs: 1 }]) {
      const verifier = new LogVerifier(tenant, [treeOf(log)], new Erasures(log))
      for (const [at, entry] of log.entries()) verifier.add(at === 1 ? { ...entry, ...change } : entry)
      expect(verifier.verdict()).toMatchObject({ ok: false, seq: 2 })
    }
    expect(entryProblem({ ...erased(log[1] as AuditEntry), atMs: 1 })).toBe(
      'Entry 2 was changed: its hash does not match.',
    )
  })

  test('[RETAIN-1] an erasure that the log does not contain allows nothing', () => {
    const [log, other] = [aLog({ reason: 'request', digests: [] }), aLog(expired)]
    expect(verdictOn(log, [1], other)).toMatchObject({ ok: false, seq: 6 })
    expect(verdictOn(log.slice(0, 5), [1], other)).toMatchObject({ ok: false, seq: 6 })
  })

  test('[RETAIN-1] leaves the proof of an ask valid, which says how many of its texts are gone', async () => {
    const events = [
      { kind: 'ask.raised', counter: 1, body: '{"needsPresence":true}' },
      { kind: 'ask.settled', counter: 2, body: '{"answer":{"action":"decline"},"by":"ann"}' },
    ] as const
    const log = entriesOfEvents(events.map((event) => ({ ...event, subject: 'ask_1' })))
    const proof = await proofIn(log, 'ask_1', log)
    const entries = proof.entries.map((entry) => ({ ...entry, salt: '', body: '' }))
    expect(verifyProof(proof, [logSigner.key])).toMatchObject({ ok: true, erased: 0 })
    expect(verifyProof({ ...proof, entries }, [logSigner.key])).toMatchObject({ ok: true, erased: 2 })
    const changed = entries.map((entry) => ({ ...entry, digest: `sha256:${'0'.repeat(64)}` }))
    expect(verifyProof({ ...proof, entries: changed }, [logSigner.key])).toMatchObject({ ok: false })
  })
})
