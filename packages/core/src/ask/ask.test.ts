import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askLimits } from '../limits.ts'
import { type Ask, answer, askAt, draftProblem, expire, raise, withdraw } from './ask.ts'
import { aDraft, aQuorum, aVote, link, minuteMs, noon, region, rollOut } from './asks.corpus.ts'

const open = raise(aDraft(), noon)
const deadline = open.decideByMs

test('[ASK-1] an ask begins open, with its deadline counted from the moment it is raised', () => {
  expect(open).toMatchObject({ raisedAtMs: noon, decideByMs: noon + 10 * minuteMs, votes: [], state: { kind: 'open' } })
})

test('[ASK-1] an ask that has ended never changes again', () => {
  const settled = ended(answer(open, aVote('ann', 'decline'), noon + 1))
  const expired = ended(expire(open, deadline))
  const withdrawn = ended(withdraw(open, 'call-cancelled', noon + 1))

  for (const ask of [settled, expired, withdrawn]) {
    expect(answer(ask, aVote('ann', 'accept'), noon + 2)).toEqual({ ok: false, reason: 'ended', ask })
    expect(expire(ask, deadline + 1)).toEqual({ ok: false, reason: 'ended', ask })
    expect(withdraw(ask, 'caller-gone', noon + 2)).toEqual({ ok: false, reason: 'ended', ask })
    expect(askAt(ask, deadline + 1)).toBe(ask)
  }
})

test('[ASK-1] a settled ask records who answered, what, where and when', () => {
  const { state } = ended(answer(open, aVote('ann', 'accept', 'd1'), noon + 5))

  expect(state).toEqual({
    kind: 'settled',
    answer: { action: 'accept' },
    by: 'ann',
    via: 'inbox',
    decisionId: 'd1',
    atMs: noon + 5,
  })
})

test('[ASK-5] an ask has expired from its deadline on, even if that is not recorded yet', () => {
  expect(askAt(open, deadline - 1).state.kind).toBe('open')
  expect(askAt(open, deadline).state).toEqual({ kind: 'expired', atMs: deadline })
  expect(answer(open, aVote('ann', 'accept'), deadline)).toMatchObject({ ok: false, reason: 'ended' })
  expect(withdraw(open, 'caller-gone', deadline)).toMatchObject({ ok: false, ask: { state: { kind: 'expired' } } })
})

test('[ASK-5] nothing expires before its deadline', () => {
  expect(expire(open, deadline - 1)).toEqual({ ok: false, reason: 'not-due' })
})

test('[ASK-6] a quorum of two is reached by two different people and by nothing less', () => {
  const ask = raise(aQuorum(2, 'ann', 'ben', 'cleo'), noon)

  const first = moved(answer(ask, aVote('ann', 'accept'), noon + 1))
  expect(first.state.kind).toBe('open')
  expect(answer(first, aVote('ann', 'accept', 'again'), noon + 2)).toEqual({ ok: false, reason: 'already-voted' })
  expect(answer(first, aVote('ann', 'decline'), noon + 2)).toEqual({ ok: false, reason: 'already-voted' })

  const second = moved(answer(first, aVote('ben', 'accept'), noon + 3))
  expect(second.state).toMatchObject({ kind: 'settled', by: 'ben', answer: { action: 'accept' } })
  expect(second.votes.map(({ by }) => by)).toEqual(['ann', 'ben'])
})

test('[ASK-6] one decline ends a quorum, unless its rule needs more', () => {
  const strict = moved(answer(raise(aQuorum(2, 'ann', 'ben', 'cleo'), noon), aVote('ann', 'accept'), noon))
  expect(moved(answer(strict, aVote('ben', 'decline'), noon)).state).toMatchObject({ answer: { action: 'decline' } })

  const draft = aQuorum(2, 'ann', 'ben', 'cleo')
  const lenient = raise({ ...draft, approvalRule: { ...draft.approvalRule, declines: 2 } }, noon)
  const once = moved(answer(lenient, aVote('ann', 'decline'), noon))
  expect(once.state.kind).toBe('open')
  expect(moved(answer(once, aVote('ben', 'decline'), noon)).state.kind).toBe('settled')
})

test('[ASK-6] for any votes in any order, a yes has the required number of accepts by different people', () => {
  const people = ['ann', 'ben', 'cleo', 'dev', 'eve']
  const votes = fc.array(fc.record({ by: fc.constantFrom(...people), action: fc.constantFrom('accept', 'decline') }))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }), votes, (approvals, declines, list) => {
      const draft = aQuorum(approvals, ...people)
      let ask = raise({ ...draft, approvalRule: { ...draft.approvalRule, declines } }, noon)
      for (const { by, action } of list) {
        const next = answer(ask, aVote(by, action as 'accept' | 'decline'), noon)
        if (next.ok) ask = next.ask
      }
      const accepted = new Set(
        firstVotes(list)
          .filter(({ action }) => action === 'accept')
          .map(({ by }) => by),
      )
      const isYes = ask.state.kind === 'settled' && ask.state.answer.action === 'accept'
      if (isYes) expect(accepted.size).toBeGreaterThanOrEqual(approvals)
      if (accepted.size < approvals) expect(isYes).toBe(false)
    }),
  )
})

test('[ASK-8] where several must approve, one person cannot cancel for the others', () => {
  const ask = raise(aQuorum(2, 'ann', 'ben'), noon)

  expect(answer(ask, aVote('ann', 'cancel'), noon)).toEqual({ ok: false, reason: 'no-cancel' })
  expect(moved(answer(open, aVote('ann', 'cancel'), noon)).state).toMatchObject({ answer: { action: 'cancel' } })
})

test('[ASK-9] a valid ask is accepted', () => {
  for (const question of [region, link, rollOut()]) expect(draftProblem(aDraft({ question }))).toBeUndefined()
  expect(draftProblem(aQuorum(2, 'ann', 'ben'))).toBeUndefined()
  expect(draftProblem(aDraft({ callId: `call_${'0'.repeat(36)}` }))).toBeUndefined()
})

const longMessage = 'x'.repeat(askLimits.messageChars + 1)
const approvalRule = aDraft().approvalRule
const decide = 'A person may be given from one second to ninety days to decide.'
const use = 'An approval can be used for at most two weeks.'
const name = 'A tenant, server, tool or principal has a name that cannot be shown.'
const long = 'A question has at most 8192 characters.'
const alone = 'Only an approval can need several people: a form has one answer.'
const digest = 'The digest of an approval is not the digest of its action.'
const refused: [what: string, change: Parameters<typeof aDraft>[0], problem: string][] = [
  ['no time to decide', { decideWithinMs: askLimits.decideMinMs - 1 }, decide],
  ['too much time to decide', { decideWithinMs: askLimits.decideMaxMs + 1 }, decide],
  ['half a millisecond', { decideWithinMs: 5_000.5 }, decide],
  ['a deadline that is not a number', { decideWithinMs: Number.NaN }, decide],
  ['no time to use a yes', { useWithinMs: 0 }, use],
  ['too much time to use a yes', { useWithinMs: askLimits.useWithinMaxMs + 1 }, use],
  ['an id that is not ours', { id: 'ask_1' }, 'The id of the ask is invalid.'],
  ['a call that is not ours', { callId: 'call_1' }, 'The id of the call is invalid.'],
  ['a tenant without a name', { tenant: '' }, name],
  ['a principal with a line break', { principal: 'ann\nben' }, name],
  ['a server with an unpaired surrogate', { asker: { server: 'deploy\ud800' } }, name],
  ['a tool with an overlong name', { asker: { server: 'deploy', tool: 'x'.repeat(257) } }, name],
  ['too long a message', { question: { ...region, message: longMessage } as typeof region }, long],
  [
    'a message with an unpaired surrogate',
    { question: { ...region, message: 'half \ud800' } as typeof region },
    'The question has no canonical JSON form.',
  ],
  [
    'too long a link',
    { question: { ...link, url: `https://a.example/${'x'.repeat(2_031)}` } as typeof link },
    'A link has at most 2048 characters.',
  ],
  [
    'a check that the message does not show',
    { question: { ...region, checked: 'Git is clean.' } as typeof region },
    'The checked text is not a paragraph of the message.',
  ],
  ['too long a claim', { question: { ...rollOut(), claim: longMessage } }, long],
  ['a title and claim that are too long together', { question: { ...rollOut(), claim: 'x'.repeat(8_185) } }, long],
  ['a digest of another action', { question: { ...rollOut(), digest: rollOut({ env: 'test' }).digest } }, digest],
  [
    'an action without a digest',
    { question: { ...rollOut(), action: { ...rollOut().action, definitionDigest: '' } } },
    digest,
  ],
  [
    'a form for two people',
    { approvalRule: { ...approvalRule, approvers: ['person:ann', 'person:ben'], approvals: 2 } },
    alone,
  ],
  ['no approver', { approvalRule: { ...approvalRule, approvers: [] } }, 'An ask needs at least one approver.'],
]

test.each(refused)('[ASK-9] %s is refused with a reason', (_, change, problem) => {
  expect(draftProblem(aDraft(change))).toBe(problem)
})

test('[ASK-9] an ask at its limits is accepted', () => {
  const atLimits: Parameters<typeof aDraft>[0][] = [
    { decideWithinMs: askLimits.decideMinMs },
    { decideWithinMs: askLimits.decideMaxMs },
    { useWithinMs: 1 },
    { useWithinMs: askLimits.useWithinMaxMs },
    { asker: { server: 'deploy' } },
    { question: { ...region, message: longMessage.slice(1) } as typeof region },
    { question: { ...rollOut(), claim: 'x'.repeat(8_184) } },
    { question: { ...rollOut(), title: longMessage.slice(1) } },
    { question: { ...link, url: `https://a.example/${'x'.repeat(2_030)}` } as typeof link },
    { approvalRule: { ...approvalRule, approvers: ['person:ann', 'person:ben'], declines: 2 } },
  ]
  for (const change of atLimits) expect(draftProblem(aDraft(change))).toBeUndefined()
})

test('[ASK-9] an error that is not about the question is rethrown', () => {
  const trap = new Proxy([], {
    ownKeys: () => {
      throw new TypeError('trap')
    },
  })
  const question = { kind: 'form', message: 'Which?', form: { fields: trap } } as const
  expect(() => draftProblem(aDraft({ question }))).toThrow(new TypeError('trap'))
})

test('[ASK-1] no votes are stored if one answer decides; all votes are stored if several are needed', () => {
  expect(moved(answer(open, aVote('ann', 'accept'), noon)).votes).toEqual([])
  const draft = aDraft({ approvalRule: { ...approvalRule, approvers: ['person:ann', 'person:ben'], declines: 2 } })
  const once = moved(answer(raise(draft, noon), aVote('ann', 'decline'), noon + 1))
  expect(once.votes).toEqual([{ ...aVote('ann', 'decline'), atMs: noon + 1 }])
  expect(once.state).toEqual({ kind: 'open' })
  expect(moved(answer(once, aVote('ben', 'cancel'), noon + 2)).state).toMatchObject({ answer: { action: 'cancel' } })
})

test('[ASK-1] a withdrawn ask has its reason and time; a raised ask was last seen when it was raised', () => {
  expect(open.lastSeenAtMs).toBe(noon)
  expect(open).not.toHaveProperty('decideWithinMs')
  expect(moved(withdraw(open, 'caller-gone', noon + 7)).state).toEqual({
    kind: 'withdrawn',
    reason: 'caller-gone',
    atMs: noon + 7,
  })
  expect(moved(expire(open, deadline)).state).toEqual({ kind: 'expired', atMs: deadline })
})

function firstVotes<T extends { by: string }>(list: readonly T[]): T[] {
  return list.filter((vote, index) => list.findIndex(({ by }) => by === vote.by) === index)
}

function moved(result: ReturnType<typeof answer>): Ask {
  if (!result.ok) throw new Error(`The transition was refused: ${result.reason}`)
  return result.ask
}

function ended(result: ReturnType<typeof answer>): Ask {
  const ask = moved(result)
  expect(ask.state.kind).not.toBe('open')
  return ask
}
