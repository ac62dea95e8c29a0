import type { EndedAsk } from '@assent/store'
import { expect, test } from 'vitest'
import { decidersIn, statisticsView } from './statistics.ts'

const approved = (changes: Partial<EndedAsk> = {}): EndedAsk => ({
  server: 'deploy',
  tool: 'rollout',
  outcome: 'approved',
  raisedAtMs: 0,
  tookMs: 1_000,
  policies: ['release'],
  decidedBy: 'ann',
  ...changes,
})
const times = (count: number, ask: EndedAsk) => Array.from({ length: count }, () => ask)
const statisticsOf = (...ended: EndedAsk[]) =>
  statisticsView({ ended, complete: true }, 0, 1, (principal) => principal.toUpperCase())

test('[RECORD-10] asks are counted by policy, by person and by tool, with the time to answer', () => {
  const { policies, people, tools } = statisticsOf(
    approved(),
    approved({ tookMs: 3_000, policies: ['release', 'money'] }),
    approved({ outcome: 'declined', tookMs: 9_000, decidedBy: 'ben' }),
    { server: 'deploy', tool: 'rollout', outcome: 'expired', raisedAtMs: 0, tookMs: 60_000, policies: ['release'] },
  )
  const one = { yes: 1, no: 0, answered: 0, unanswered: 0 }
  expect(policies).toEqual([
    { policy: 'release', yes: 2, no: 1, answered: 0, unanswered: 1, medianMs: 3_000 },
    { policy: 'money', ...one, medianMs: 3_000 },
  ])
  expect(people).toEqual([
    { name: 'ANN', ...one, yes: 2, medianMs: 1_000 },
    { name: 'BEN', ...one, yes: 0, no: 1, medianMs: 9_000 },
  ])
  expect(tools).toEqual([
    { server: 'deploy', tool: 'rollout', yes: 2, no: 1, answered: 0, unanswered: 1, medianMs: 3_000 },
  ])
  expect(decidersIn({ ended: [approved(), approved({ decidedBy: 'ben' })], complete: true })).toEqual(['ann', 'ben'])
})

test('[RECORD-11] a policy that is always approved within two seconds is flagged', () => {
  const fast = approved({ tookMs: 2_000 })
  const flagged = (...ended: EndedAsk[]) => statisticsOf(...ended).policies[0]?.isRubberStamp
  expect(flagged(...times(5, fast))).toBe(true)
  expect(flagged(...times(5, fast), approved({ outcome: 'expired', tookMs: 600_000 }))).toBe(true)
  expect(flagged(...times(4, fast))).toBeUndefined()
  expect(flagged(...times(9, fast), approved({ tookMs: 2_001 }))).toBeUndefined()
  expect(flagged(...times(9, fast), approved({ outcome: 'declined' }))).toBeUndefined()
})

test('[RECORD-10] the trend has one interval for each day of a short period, ten for a longer one, and counts every ask once', () => {
  const dayMs = 86_400_000
  const trendOf = (days: number, ...ended: EndedAsk[]) =>
    statisticsView({ ended, complete: true }, 0, days * dayMs - 1, String).trend
  const ended = [
    approved({ raisedAtMs: 0 }),
    approved({ raisedAtMs: dayMs, outcome: 'declined' }),
    approved({ raisedAtMs: 7 * dayMs - 1, outcome: 'expired' }),
  ]
  const week = trendOf(7, ...ended)
  expect(week.map(({ yes, no, unanswered }) => [yes, no, unanswered])).toEqual([
    [1, 0, 0],
    [0, 1, 0],
    ...Array.from({ length: 4 }, () => [0, 0, 0]),
    [0, 0, 1],
  ])
  expect(week[1]).toMatchObject({ fromMs: dayMs, untilMs: 2 * dayMs, medianMs: 1_000 })
  // Four hours into a day, two hours ahead of UTC: the last interval is this day, and the first one includes what came before.
  const [now, zoneMs] = [7.25 * dayMs, 2 * 3_600_000]
  const early = [approved({ raisedAtMs: 0.25 * dayMs }), approved({ raisedAtMs: 7.2 * dayMs })]
  const { trend } = statisticsView({ ended: early, complete: true }, 0.25 * dayMs, now, String, zoneMs)
  expect(trend.map(({ yes }) => yes)).toEqual([1, 0, 0, 0, 0, 0, 1])
  expect(trend.at(-1)).toMatchObject({ fromMs: 7 * dayMs - zoneMs, untilMs: 8 * dayMs - zoneMs })
  expect(trendOf(30).map(({ fromMs }) => fromMs / dayMs)).toEqual([0, 3, 6, 9, 12, 15, 18, 21, 24, 27])
})
