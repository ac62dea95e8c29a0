import { expect, test } from 'vitest'
import type { AuditKind } from '../log/audit-kinds.ts'
import { encodeLeaf, saltedDigest } from '../log/leaf.ts'
import { ExportedBodies } from './exported-bodies.ts'

type Event = readonly [kind: AuditKind, subject: string, counter: number, body?: object]

const salt = Buffer.alloc(16, 7)

/** The first problem; the entries without a body were erased. */
function problemIn(events: readonly Event[]): string | undefined {
  const bodies = new ExportedBodies()
  for (const [at, [kind, subject, counter, body]] of events.entries()) {
    const text = JSON.stringify(body ?? {})
    const leaf = encodeLeaf({ kind, subject, counter, atMs: at, bodyDigest: saltedDigest(salt, text) })
    const shown = body === undefined ? {} : { salt: salt.toString('hex'), text }
    const problem = bodies.add({ seq: at + 1, at: new Date(at).toISOString(), kind, subject, counter, ...shown }, leaf)
    if (problem !== undefined) return problem
  }
  expect(bodies.entries).toBe(events.length)
  return undefined
}

const raised: Event = ['ask.raised', 'ask_1', 1, { principal: 'ann', actionDigest: 'd1' }]
const accepted: Event = ['ask.settled', 'ask_1', 2, { answer: { action: 'accept' } }]
const used: Event = ['grant.used', 'grant_1', 1, { digest: 'd1', principal: 'ann' }]
const declined: Event = ['ask.settled', 'ask_1', 2, { answer: { action: 'decline' } }]
const voted: Event = ['ask.voted', 'ask_1', 2, {}]

test('[TLOG-22] asks that end once and grants of approvals are accepted, also if bodies were erased', () => {
  expect(problemIn([raised, accepted, used])).toBeUndefined()
  expect(
    problemIn([raised, voted, ['ask.settled', 'ask_1', 3, { answer: { action: 'accept' } }], used]),
  ).toBeUndefined()
  expect(problemIn([['ask.raised', 'ask_1', 1], accepted, used])).toBeUndefined()
  expect(problemIn([raised, ['ask.settled', 'ask_1', 2], used])).toBeUndefined()
  expect(problemIn([raised, accepted, ['grant.used', 'grant_1', 1]])).toBeUndefined()
})

test.each<[string, readonly Event[], string]>([
  [
    'a grant without an approval',
    [raised, used],
    'Entry 2: the grant grant_1 was used without an approval of its action.',
  ],
  ['a grant of a declined action', [raised, declined, used], 'without an approval'],
  [
    'a grant for another action',
    [raised, accepted, ['grant.used', 'g', 1, { digest: 'd2', principal: 'ann' }]],
    'without an approval',
  ],
  [
    'a grant of another person',
    [raised, accepted, ['grant.used', 'g', 1, { digest: 'd1', principal: 'bob' }]],
    'without an approval',
  ],
  [
    'an approval that was used twice',
    [raised, accepted, used, ['grant.used', 'grant_2', 1, used[3] ?? {}]],
    'without an approval',
  ],
  ['an ask that ended twice', [raised, declined, ['ask.expired', 'ask_1', 3, {}]], 'the ask ask_1 had ended'],
  ['a vote after the end', [raised, declined, ['ask.voted', 'ask_1', 3, {}]], 'the ask ask_1 had ended'],
  ['an ask that was not raised', [accepted], 'the ask ask_1 was not raised'],
])('[TLOG-22] %s is found', (_, events, problem) => {
  expect(problemIn(events)).toContain(problem)
})
