import fc from 'fast-check'
import { expect, test } from 'vitest'
import { askLimits } from '../limits.ts'
import { type Ask, answer, at, draftProblem, expire, raise, withdraw } from './ask.ts'
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
    expect(at(ask, deadline + 1)).toBe(ask)
  }
})

test('[ASK-1] a settled ask says who answered, what, where and when', () => {
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

test('[ASK-5] from its deadline on an ask has expired, whether or not anyone noticed', () => {
  expect(at(open, deadline - 1).state.kind).toBe('open')
  expect(at(open, deadline).state).toEqual({ kind: 'expired', atMs: deadline })
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

test('[ASK-6] one decline ends a quorum, unless more were asked for', () => {
  const strict = moved(answer(raise(aQuorum(2, 'ann', 'ben', 'cleo'), noon), aVote('ann', 'accept'), noon))
  expect(moved(answer(strict, aVote('ben', 'decline'), noon)).state).toMatchObject({ answer: { action: 'decline' } })

  const draft = aQuorum(2, 'ann', 'ben', 'cleo')
  const lenient = raise({ ...draft, electorate: { ...draft.electorate, declines: 2 } }, noon)
  const once = moved(answer(lenient, aVote('ann', 'decline'), noon))
  expect(once.state.kind).toBe('open')
  expect(moved(answer(once, aVote('ben', 'decline'), noon)).state.kind).toBe('settled')
})

test('[ASK-6] for any votes in any order, a yes has as many accepts by different people as were asked for', () => {
  const people = ['ann', 'ben', 'cleo', 'dev', 'eve']
  const votes = fc.array(fc.record({ by: fc.constantFrom(...people), action: fc.constantFrom('accept', 'decline') }))
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 3 }), votes, (approvals, declines, list) => {
      const draft = aQuorum(approvals, ...people)
      let ask = raise({ ...draft, electorate: { ...draft.electorate, declines } }, noon)
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

test('[ASK-9] an ask that keeps to the rules may be put', () => {
  for (const question of [region, link, rollOut()]) expect(draftProblem(aDraft({ question }))).toBeUndefined()
  expect(draftProblem(aQuorum(2, 'ann', 'ben'))).toBeUndefined()
  expect(draftProblem(aDraft({ callId: `call_${'0'.repeat(36)}` }))).toBeUndefined()
})

const longMessage = 'x'.repeat(askLimits.messageChars + 1)
const electorate = aDraft().electorate
const refused: [what: string, change: Parameters<typeof aDraft>[0]][] = [
  ['no time to decide', { decideWithinMs: askLimits.decideMinMs - 1 }],
  ['a deadline beyond all limits', { decideWithinMs: askLimits.decideMaxMs + 1 }],
  ['half a millisecond', { decideWithinMs: 5_000.5 }],
  ['a deadline that is no number', { decideWithinMs: Number.NaN }],
  ['a yes that could never be used', { useWithinMs: 0 }],
  ['a yes that never ends', { useWithinMs: askLimits.useWithinMaxMs + 1 }],
  ['an id that is not ours', { id: 'ask_1' }],
  ['a call that is not ours', { callId: 'call_1' }],
  ['a tenant without a name', { tenant: '' }],
  ['a principal with a line break', { principal: 'ann\nben' }],
  ['a server with half a character', { asker: { server: 'deploy\ud800' } }],
  ['a tool with an overlong name', { asker: { server: 'deploy', tool: 'x'.repeat(257) } }],
  ['too long a message', { question: { ...region, message: longMessage } as typeof region }],
  ['half a character', { question: { ...region, message: 'half \ud800' } as typeof region }],
  ['too long a link', { question: { ...link, url: `https://a.example/${'x'.repeat(2_048)}` } as typeof link }],
  ['too long a claim', { question: { ...rollOut(), claim: longMessage } }],
  ['a digest of another action', { question: { ...rollOut(), digest: rollOut({ env: 'test' }).digest } }],
  ['an action without a digest', { question: { ...rollOut(), action: { ...rollOut().action, definitionDigest: '' } } }],
  ['a form for two people', { electorate: { ...electorate, approvers: ['person:ann', 'person:ben'], approvals: 2 } }],
]

test.each(refused)('[ASK-9] %s is refused in words', (_, change) => {
  expect(draftProblem(aDraft(change))).toMatch(/^[A-Z].*\.$/)
})

function firstVotes<T extends { by: string }>(list: readonly T[]): T[] {
  return list.filter((vote, index) => list.findIndex(({ by }) => by === vote.by) === index)
}

function moved(result: ReturnType<typeof answer>): Ask {
  if (!result.ok) throw new Error(`The move was refused: ${result.reason}`)
  return result.ask
}

function ended(result: ReturnType<typeof answer>): Ask {
  const ask = moved(result)
  expect(ask.state.kind).not.toBe('open')
  return ask
}
