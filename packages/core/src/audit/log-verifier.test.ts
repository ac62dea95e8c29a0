import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { TreeState } from '../log/merkle.ts'
import { entriesOfEvents, resealed, tenant, treeOf } from './entries.suite.ts'
import type { AuditEntry } from './entry.ts'
import { LogVerifier } from './log-verifier.ts'

function aLog(length: number): AuditEntry[] {
  const events = Array.from({ length }, (_, at) => ({
    ...({ kind: 'note', subject: `ask_${at}`, counter: 0 } as const),
    body: JSON.stringify({ at }),
    atMs: 1_000 + at,
  }))
  return entriesOfEvents(events)
}

function verdictOn(entries: readonly AuditEntry[], heads: readonly TreeState[] = []) {
  const verifier = new LogVerifier(tenant, heads)
  for (const entry of entries) verifier.add(entry)
  return verifier.verdict()
}

test.each([0, 1, 5, 256, 600])('[AUDIT-1] an unchanged log of %i entries verifies', (length) => {
  const log = aLog(length)
  const head = treeOf(log)
  const lastHash = Buffer.from(head.root).toString('hex')

  expect(verdictOn(log, [head])).toEqual({ ok: true, erased: 0, lastSeq: length, lastHash })
})

const text = 'Entry 3 was changed: its text does not match its digest.'
const hash = 'Entry 3 was changed: its hash does not match.'
const changes: [what: string, change: (entry: AuditEntry) => AuditEntry, problem: string][] = [
  ['its text', (entry) => ({ ...entry, body: '{"seq":0}' }), text],
  ['its salt', (entry) => ({ ...entry, salt: 'ff'.repeat(16) }), text],
  ['its time', (entry) => ({ ...entry, atMs: entry.atMs + 1 }), hash],
  ['its kind', (entry) => ({ ...entry, kind: 'ask.settled' }), hash],
  ['its subject', (entry) => ({ ...entry, subject: 'ask_0' }), hash],
  ['its counter', (entry) => ({ ...entry, counter: 1 }), hash],
  ['its hash', (entry) => ({ ...entry, hash: 'ff'.repeat(32) }), hash],
  ['its tenant', (entry) => ({ ...entry, tenant: 'other' }), 'Entry 3 belongs to another tenant.'],
  ['its number', (entry) => ({ ...entry, seq: 7 }), 'Entry 3 is missing: the next one found is 7.'],
  ['all of it', (entry) => ({ ...entry, digest: '', hash: '' }), 'Entry 3 is missing.'],
]

test.each(changes)('[AUDIT-1] the verdict names the entry whose %s was changed', (_, change, problem) => {
  const log = aLog(5).map((entry) => (entry.seq === 3 ? change(entry) : entry))

  expect(verdictOn(log)).toEqual({ ok: false, seq: 3, problem })
})

test('[AUDIT-1] after the first invalid entry no other entry is accepted', () => {
  const [first, second, third] = aLog(3) as [AuditEntry, AuditEntry, AuditEntry]
  const verifier = new LogVerifier(tenant)
  const isAccepted = [first, { ...second, body: '{}' }, second, third].map((entry) => verifier.add(entry))

  expect(isAccepted).toEqual([true, false, false, false])
  expect(verifier.verdict()).toMatchObject({ ok: false, seq: 2 })
})

test('[AUDIT-1] every removal, repetition, swap or forgery of entries is found, also if all hashes match', () => {
  const log = aLog(12)
  const head = treeOf(log)
  const index = fc.integer({ min: 0, max: 10 })
  fc.assert(
    fc.property(index, index, fc.constantFrom('remove', 'repeat', 'swap', 'forge'), (a, b, attack) => {
      const changed = [...log]
      const [first, second] = [log[a] as AuditEntry, log[b] as AuditEntry]
      if (attack === 'remove') changed.splice(a, 1)
      if (attack === 'repeat') changed.splice(a, 0, first)
      if (attack === 'swap') [changed[a], changed[b]] = [second, first]
      if (attack === 'forge') changed[a] = { ...first, body: '{"forged":true}' }
      fc.pre(attack !== 'swap' || a !== b)
      const rewritten = changed.map((entry, at) => resealed({ ...entry, seq: at + 1 }))
      expect(verdictOn(rewritten, [head]).ok).toBe(false)
    }),
  )
})

test('[AUDIT-2] a checkpoint shows that the end was cut off, which the entries alone cannot', () => {
  const log = aLog(5)
  expect(verdictOn(log.slice(0, 3)).ok).toBe(true)
  expect(verdictOn(log.slice(0, 3), [treeOf(log)])).toEqual({
    ok: false,
    seq: 4,
    problem: 'The log ends at entry 3, but a checkpoint shows that it had reached entry 5.',
  })
})

test('[AUDIT-2] a checkpoint shows that the log was rewritten', () => {
  const log = aLog(5)
  const older = { size: 4, root: new Uint8Array(32) }
  expect(verdictOn(log, [older])).toEqual({
    ok: false,
    seq: 4,
    problem: 'The first 4 entries are not those that were signed: the log was rewritten up to here.',
  })
})

test('[AUDIT-1] tiles are compared with the entries, and name the entry that differs', () => {
  const log = aLog(600)
  const verifier = new LogVerifier(tenant, [treeOf(log)])
  for (const entry of log) verifier.add(entry)
  const tiles = verifier.takeTiles()
  expect(tiles.map(({ level, index, width }) => [level, index, width])).toContainEqual([0, 2, 88])
  expect(verifier.takeTiles()).toEqual([])
  const [first] = tiles
  if (first === undefined) throw new Error('There is no tile.')
  expect(verifier.compareTile(first, Buffer.concat([first.hashes, new Uint8Array(32)]))).toBe(true)
  const wrong = Uint8Array.from(first.hashes)
  wrong[64] = (wrong[64] ?? 0) ^ 1
  expect(verifier.compareTile(first, wrong)).toBe(false)
  expect(verifier.verdict()).toMatchObject({ ok: false, seq: 3 })
})

test('[AUDIT-1] a tile above the entries that differs names the first entry below it', () => {
  const log = aLog(600)
  const verifier = new LogVerifier(tenant, [treeOf(log)])
  for (const entry of log) verifier.add(entry)
  const upper = verifier.takeTiles().find(({ level }) => level === 1)
  if (upper === undefined) throw new Error('There is no tile.')
  expect(
    verifier.compareTile(
      upper,
      Uint8Array.from(upper.hashes, (byte) => byte ^ 1),
    ),
  ).toBe(false)
  expect(verifier.verdict()).toMatchObject({ ok: false, seq: 1 })
})
