// Approval rules, names and actions over a limit, or of an unknown kind. None of them may become an ask.

import { expect, test } from 'vitest'
import { type Action, actionDigest, toolDefinitionDigest } from '../digest/action.ts'
import { askLimits } from '../limits.ts'
import { type ApprovalRequirement, requirementsProblem } from './approval-places.ts'
import { ruleOf } from './approval-rule.ts'
import type { Approver } from './approver.ts'
import { answer, draftProblem, mayCancel, raise } from './ask.ts'
import { aDraft, aVote, noon, rollOut } from './asks.corpus.ts'

const release: ApprovalRequirement = { anyOf: [[{ from: ['group:release'], approvals: 1 }]], excluded: [] }
const people = (count: number) => Array.from({ length: count }, (_, at): Approver => `person:p${at}`)
/** A requirement with this many alternatives, which differs from those with another name. */
const alternatives = (name: string, count: number): ApprovalRequirement => ({
  anyOf: Array.from({ length: count }, (_, at) => [{ from: [`group:${name}${at}` as const], approvals: 1 }]),
  excluded: [],
})

test.each<[string, readonly ApprovalRequirement[], string]>([
  [
    'excludes too many people',
    [{ ...release, excluded: Array.from({ length: askLimits.approvers + 1 }, (_, at) => `p${at}`) }],
    `A requirement excludes at most ${askLimits.approvers} people.`,
  ],
  [
    'excludes a person whose name cannot be shown',
    [{ ...release, excluded: ['ann\u2028'] }],
    'An excluded person has a name that cannot be shown.',
  ],
  [
    'names too many approvers',
    [{ anyOf: [[{ from: people(askLimits.approvers + 1), approvals: 1 }]], excluded: [] }],
    `A factor names at most ${askLimits.approvers} people and groups.`,
  ],
  [
    'has too many alternatives',
    [alternatives('a', askLimits.approvalChoices / 2), alternatives('b', 3)],
    `The alternatives can be combined in more than ${askLimits.approvalChoices} ways.`,
  ],
])('[POLICY-21] a rule that %s is refused', (_, requirements, problem) => {
  expect(requirementsProblem(requirements)).toBe(problem)
  expect(draftProblem(aDraft({ question: rollOut(), approvalRule: ruleOf(requirements, 1) }))).toBeDefined()
})

test('[POLICY-21] a rule exactly at its limits is valid', () => {
  const most = { anyOf: [[{ from: people(askLimits.approvers), approvals: 1 }]], excluded: ['ann'] }
  expect(requirementsProblem([most])).toBeUndefined()
  expect(requirementsProblem([alternatives('a', askLimits.approvalChoices / 2), alternatives('b', 2)])).toBeUndefined()
})

test('[ASK-8] one person cannot cancel an ask that a policy requires of others', () => {
  const own: ApprovalRequirement = { anyOf: [[{ from: ['person:ann'], approvals: 1 }]], excluded: [] }
  const either: ApprovalRequirement = { anyOf: [[{ from: ['person:ann', 'person:ben'], approvals: 1 }]], excluded: [] }

  expect(mayCancel(ruleOf([own], 1))).toBe(true)
  for (const others of [release, either]) {
    const rule = ruleOf([others], 1)
    expect(mayCancel(rule)).toBe(false)
    const ask = raise(aDraft({ question: rollOut(), approvalRule: rule }), noon)
    expect(answer(ask, aVote('ann', 'cancel'), noon)).toEqual({ ok: false, reason: 'no-cancel' })
  }
})

test('[ASK-9] an ask whose caller has a name that is too long or not valid text is refused', () => {
  const long = 'x'.repeat(askLimits.callerChars)
  expect(draftProblem(aDraft({ caller: { client: long, folder: long, branch: long } }))).toBeUndefined()
  for (const caller of [{ client: `${long}x` }, { folder: `${long}x` }, { branch: '\ud800' }])
    expect(draftProblem(aDraft({ caller }))).toBe(
      `The names of a caller have at most ${askLimits.callerChars} characters.`,
    )
})

test('[DIGEST-8] an action of an unknown kind has no digest, and an ask with one is refused', () => {
  const action: Action = {
    server: 'deploy',
    tool: 'rollout',
    definitionDigest: toolDefinitionDigest({ name: 'rollout' }),
    arguments: {},
  }
  const digests = [action, { ...action, kind: 'prompt' as const }, { ...action, kind: 'resource' as const }].map(
    actionDigest,
  )
  expect(new Set(digests).size).toBe(3)
  for (const kind of ['tool', '', undefined, 7]) {
    const unknown = { ...action, kind } as Action
    expect(() => actionDigest(unknown)).toThrow('An action is of an unknown kind.')
    const question = { ...rollOut(), action: unknown }
    expect(draftProblem(aDraft({ question }))).toBeDefined()
  }
})
