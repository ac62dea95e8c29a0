import { createHash, createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { digestOf } from '../digest/digest.ts'
import { createKeyRing } from '../seal/key-ring.ts'
import { type Ask, answer, type CastVote, raise } from './ask.ts'
import {
  askTerms,
  grantSignatureProblem,
  signAsk,
  signatureProblem,
  signatureProblemText,
  signGrant,
  signVote,
} from './ask-signature.ts'
import { signaturesOf } from './stored-signatures.suite.ts'

const secret = new Uint8Array(32).fill(1)
const ring = createKeyRing([{ id: 'k1', secret }])
const nowMs = 1_000

const draft = {
  tenant: 'acme',
  id: `ask_${'0'.repeat(36)}`,
  asker: { server: 'deploy', tool: 'rollout' },
  principal: 'ann',
  question: { kind: 'form', message: 'Sure?', form: { fields: [] } },
  approvalRule: { approvers: ['person:ann', 'person:ben', 'person:cleo'], excluded: [], approvals: 2, declines: 1 },
  decideWithinMs: 60_000,
  useWithinMs: 60_000,
} as const

const one: Ask = raise({ ...draft, approvalRule: { ...draft.approvalRule, approvals: 1 } }, nowMs)
const two: Ask = raise(draft, nowMs)

function voted(ask: Ask, by: string, action: 'accept' | 'decline' = 'accept'): Ask {
  const moved = answer(ask, { answer: { action }, by, via: 'inbox', decisionId: `decision of ${by}` }, nowMs)
  if (!moved.ok) throw new Error(moved.reason)
  return moved.ask
}

const stored = (ask: Ask) => signaturesOf(ring, ask)

const settledOne = voted(one, 'ann')
const settledTwo = voted(voted(two, 'ann'), 'ben')

test('[VOTE-4] an unchanged ask verifies: open, settled by one person, settled by two', () => {
  for (const ask of [one, two, voted(two, 'ann'), settledOne, settledTwo, voted(two, 'ann', 'decline')]) {
    expect(signatureProblem(ring, ask, stored(ask))).toBeUndefined()
  }
})

describe('a change of', () => {
  const changes: Record<string, Partial<Ask>> = {
    'the tenant': { tenant: 'umbrella' },
    'the id': { id: `ask_${'1'.repeat(36)}` },
    'the server': { asker: { server: 'other', tool: 'rollout' } },
    'the tool': { asker: { server: 'deploy' } },
    'the client': { caller: { client: 'Claude Code' } },
    'the folder': { caller: { folder: 'notes' } },
    'the branch': { caller: { branch: 'main' } },
    'the principal': { principal: 'ben' },
    'the question': { question: { kind: 'form', message: 'Sure!', form: { fields: [] } } },
    'a question that has no digest': { question: { kind: 'form', message: '\ud800', form: { fields: [] } } },
    'the approvers': { approvalRule: { ...one.approvalRule, approvers: ['person:mallory'] } },
    'the excluded people': { approvalRule: { ...one.approvalRule, excluded: ['ann'] } },
    'the number of approvals': { approvalRule: { ...one.approvalRule, approvals: 3 } },
    'the number of declines': { approvalRule: { ...one.approvalRule, declines: 2 } },
    'the time to decide': { decideByMs: one.decideByMs + 1 },
    'the time to use it': { useWithinMs: 1 },
  }
  test.each(Object.entries(changes))('[VOTE-4] %s is found, open and settled', (_, change) => {
    for (const ask of [one, settledOne]) {
      expect(signatureProblem(ring, { ...ask, ...change }, stored(ask))).toEqual({ reason: 'mismatch', what: 'ask' })
    }
  })

  test('[VOTE-4] the approval rule is found even if the ask is signed again: the vote was for another rule', () => {
    const changed = { ...settledOne, approvalRule: { ...one.approvalRule, declines: 2 } }
    const resigned = { ...stored(settledOne), ask: signAsk(ring, askTerms(changed)) }
    expect(signatureProblem(ring, changed, resigned)).toEqual({ reason: 'mismatch', what: 'decision' })
  })

  const { state } = settledOne as Ask & { state: Extract<Ask['state'], { kind: 'settled' }> }
  test.each([
    ['the action', { answer: { action: 'decline' } }],
    ['the content', { answer: { action: 'accept', content: { a: 1 } } }],
    ['the comment', { answer: { action: 'accept', comment: 'fine' } }],
    ['the voter', { by: 'ben' }],
    ['the surface', { via: 'client' }],
    ['the decision id', { decisionId: 'other' }],
  ] as const)('[VOTE-4] %s of a decision is found', (_, change) => {
    const changed = { ...settledOne, state: { ...state, ...change } } as Ask
    expect(signatureProblem(ring, changed, stored(settledOne))).toEqual({ reason: 'mismatch', what: 'decision' })
  })
})

describe('a quorum of two', () => {
  const [first, second] = settledTwo.votes as [CastVote, CastVote]
  const signatures = stored(settledTwo)

  test('[VOTE-4] one vote is too few, also when it is listed twice', () => {
    const alone = { ...settledTwo, votes: [second] }
    const problem = { reason: 'too-few-votes', what: 'decision' }
    expect(signatureProblem(ring, alone, { ...signatures, votes: [signatures.votes[1] ?? null] })).toEqual(problem)
    const twice = { ...settledTwo, votes: [second, second] }
    const same = [signatures.votes[1] ?? null, signatures.votes[1] ?? null]
    expect(signatureProblem(ring, twice, { ...signatures, votes: same })).toEqual(problem)
  })

  test('[VOTE-4] a vote under another name, without a signature or of another ask does not count', () => {
    const renamed = { ...settledTwo, votes: [{ ...first, by: 'cleo' }, second] }
    expect(signatureProblem(ring, renamed, signatures)).toEqual({ reason: 'mismatch', what: 'vote' })
    const unsigned = { ...signatures, votes: [null, signatures.votes[1] ?? null] }
    expect(signatureProblem(ring, settledTwo, unsigned)).toEqual({ reason: 'unsigned', what: 'vote' })
    const elsewhere = stored(voted(voted(raise({ ...draft, id: `ask_${'2'.repeat(36)}` }, nowMs), 'ann'), 'ben'))
    const borrowed = { ...elsewhere, ask: signatures.ask }
    expect(signatureProblem(ring, settledTwo, borrowed)).toEqual({ reason: 'mismatch', what: 'decision' })
  })

  test('[VOTE-4] a decline among the votes does not count as an approval', () => {
    const declined = { ...second, answer: { action: 'decline' } } as CastVote
    const mixed = { ...settledTwo, votes: [first, declined] }
    const votes = mixed.votes.map((vote) => signVote(ring, askTerms(mixed), vote))
    expect(signatureProblem(ring, mixed, { ...signatures, votes })).toEqual({
      reason: 'too-few-votes',
      what: 'decision',
    })
  })
})

describe('a signature', () => {
  test('[VOTE-3] verifies with every key of the ring, and with no other', () => {
    const fresh = { id: 'k2', secret: new Uint8Array(32).fill(2) }
    const of = stored(settledOne)
    expect(signatureProblem(createKeyRing([fresh, { id: 'k1', secret }]), settledOne, of)).toBeUndefined()
    expect(signatureProblem(createKeyRing([fresh]), settledOne, of)).toEqual({ reason: 'unknown-key', what: 'ask' })
    const other = createKeyRing([{ id: 'k1', secret: fresh.secret }])
    expect(signatureProblem(other, settledOne, of)).toEqual({ reason: 'mismatch', what: 'ask' })
  })

  const good = signAsk(ring, askTerms(one))
  test.each([
    [null, 'unsigned'],
    ['', 'mismatch'],
    ['v1', 'unknown-key'],
    ['v1.k1', 'mismatch'],
    ['v1.k1.', 'mismatch'],
    ['v2.k1.x', 'mismatch'],
    [good.replace('v1', 'v2'), 'mismatch'],
    ['v1..x', 'unknown-key'],
    ['v1.k1.x.y', 'mismatch'],
    [`${good}.`, 'mismatch'],
    ['v1.__proto__.x', 'unknown-key'],
  ])('[VOTE-4] %j is refused', (text, reason) => {
    const problem = { reason, what: 'ask' }
    expect(signatureProblem(ring, one, { ask: text, decision: null, votes: [] })).toEqual(problem)
  })

  test('[VOTE-4] is refused in another encoding, cut or lengthened', () => {
    for (const bad of [
      good.slice(0, -1),
      `${good}A`,
      `${good}=`,
      good.toUpperCase(),
      good.replace('v1.k1.', 'v1.k1. '),
    ]) {
      expect(signatureProblem(ring, one, { ask: bad, decision: null, votes: [] })).toBeDefined()
    }
  })

  test('[VOTE-4] is made with a separate key for its purpose, derived from the secret with HKDF', () => {
    const key = createHmac('sha256', secret).update('assent mac v1 grant\n').update(Uint8Array.of(1)).digest()
    const statement = JSON.stringify(['assent grant v1', 'acme', 'g', 'a', 'd', 'ann'])
    const expected = createHmac('sha256', key).update(statement).digest('base64url')
    const grant = { tenant: 'acme', id: 'g', askId: 'a', digest: 'd', principal: 'ann' }
    expect(signGrant(ring, grant)).toBe(`v1.k1.${expected}`)
    expect(grantSignatureProblem(ring, grant, `v1.k1.${expected}`)).toBeUndefined()
  })

  test.each(['tenant', 'id', 'askId', 'digest', 'principal'] as const)(
    '[VOTE-4] of a grant covers its %s',
    (member) => {
      const grant = { tenant: 'acme', id: 'g', askId: 'a', digest: 'd', principal: 'ann' }
      const signature = signGrant(ring, grant)
      expect(grantSignatureProblem(ring, { ...grant, [member]: 'x' }, signature)).toMatchObject({ reason: 'mismatch' })
      expect(grantSignatureProblem(ring, grant, null)).toMatchObject({ reason: 'unsigned' })
    },
  )
})

test('[VOTE-4] the signed statements of an ask and a vote have the documented format, so that another program can verify them', () => {
  const macOf = (purpose: string, statement: unknown[]) => {
    const key = createHmac('sha256', secret).update(`assent mac v1 ${purpose}\n\u0001`).digest()
    return `v1.k1.${createHmac('sha256', key).update(JSON.stringify(statement)).digest('base64url')}`
  }
  const { tenant, id, question, approvalRule, principal } = one
  const digests = [digestOf('question v1', question), digestOf('approval rule v1', approvalRule)]
  const who = ['deploy', 'rollout', null, null, null, principal]
  const statement = ['assent ask v1', tenant, id, ...who, ...digests, 60_000, 60_000]
  expect(signAsk(ring, askTerms(one))).toBe(macOf('ask', statement))
  const toolless = statement.with(4, null as never)
  expect(signAsk(ring, { ...askTerms(one), asker: { server: 'deploy' } })).toBe(macOf('ask', toolless))

  const ask = createHash('sha256').update(JSON.stringify(statement)).digest('hex')
  const vote = { by: 'ann', via: 'inbox', decisionId: 'd1' } as const
  const bare = ['assent vote v1', ask, 'accept', null, null, 'ann', 'inbox', 'd1']
  expect(signVote(ring, askTerms(one), { ...vote, answer: { action: 'accept' } })).toBe(macOf('vote', bare))
  const full = bare.with(3, digestOf('content v1', { a: 1 })).with(4, digestOf('comment v1', 'go'))
  const answered = { ...vote, answer: { action: 'accept', content: { a: 1 }, comment: 'go' } } as const
  expect(signVote(ring, askTerms(one), answered)).toBe(macOf('vote', full))
})

test('[VOTE-7] a decision whose content was deleted is verified with the stored digests', () => {
  const settled = voted(one, 'ann')
  if (settled.state.kind !== 'settled') throw new Error('It is settled.')
  const withContent = { ...settled, state: { ...settled.state, answer: { action: 'accept', comment: 'key' } } } as Ask
  const signed = stored(withContent)
  const commentDigest = digestOf('comment v1', 'key')
  const deleted = { ...settled, state: { ...settled.state, deleted: { action: 'accept', commentDigest } } } as Ask
  expect(signatureProblem(ring, deleted, signed)).toBeUndefined()
  expect(signatureProblem(ring, settled, signed)).toEqual({ reason: 'mismatch', what: 'decision' })
})

test('[VOTE-4] a decision needs the number of voters in the approval rule; a cancel counts only where one person decides', () => {
  const rule = { ...draft.approvalRule, approvals: 1, declines: 2 }
  const once = voted(raise({ ...draft, approvalRule: rule }, nowMs), 'ann', 'decline')
  const declined = voted(once, 'ben', 'decline')
  expect(declined.state.kind).toBe('settled')
  expect(signatureProblem(ring, declined, stored(declined))).toBeUndefined()
  const short = { ...declined, votes: declined.votes.slice(1) }
  const tooFew = { reason: 'too-few-votes', what: 'decision' }
  expect(signatureProblem(ring, short, stored(short))).toEqual(tooFew)

  const cancelOf = (ask: Ask, votes: readonly CastVote[]): Ask => {
    const vote = { answer: { action: 'cancel' }, by: 'ann', via: 'inbox', decisionId: 'd', atMs: nowMs } as const
    return { ...ask, votes: [...votes, vote], state: { kind: 'settled', ...vote } }
  }
  const cancelled = cancelOf(raise({ ...draft, approvalRule: rule }, nowMs), [])
  expect(signatureProblem(ring, cancelled, stored(cancelled))).toBeUndefined()
  const unvoted = { ...cancelled, votes: [] }
  expect(signatureProblem(ring, unvoted, stored(unvoted))).toEqual(tooFew)
  const ofTwo = cancelOf(two, [])
  expect(signatureProblem(ring, ofTwo, stored(ofTwo))).toEqual(tooFew)
})

test('[VOTE-4] votes without a stored signature are unsigned, and so is a decision without one', () => {
  const signatures = stored(settledTwo)
  expect(signatureProblem(ring, settledTwo, { ...signatures, votes: [] })).toEqual({ reason: 'unsigned', what: 'vote' })
  expect(signatureProblem(ring, settledOne, { ...stored(settledOne), decision: null })).toEqual({
    reason: 'unsigned',
    what: 'decision',
  })
})

test('[VOTE-1] an error that is not about the stored row is rethrown', () => {
  const broken = {
    ...ring,
    find: () => {
      throw new TypeError('no keys')
    },
  }
  expect(() => signatureProblem(broken, one, stored(one))).toThrow('no keys')
})

test('[VOTE-5] each problem has a text', () => {
  const words = (reason: 'unsigned' | 'unknown-key' | 'mismatch') => signatureProblemText({ reason, what: 'vote' })
  expect(words('unsigned')).toBe('The stored vote has no signature.')
  expect(words('unknown-key')).toBe('The stored vote is signed with a key that is not configured.')
  expect(words('mismatch')).toBe('The stored vote does not match its signature.')
  expect(signatureProblemText({ reason: 'too-few-votes', what: 'decision' })).toBe(
    'The stored decision has fewer signed votes than it needs.',
  )
})

test('[VOTE-4] the problem of a grant names the grant', () => {
  const grant = { tenant: 'acme', id: 'g', askId: 'a', digest: 'd', principal: 'ann' }
  expect(grantSignatureProblem(ring, grant, null)).toEqual({ reason: 'unsigned', what: 'grant' })
})
