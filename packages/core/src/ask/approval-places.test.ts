import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type ApprovalRequirement,
  approvalsMissing,
  mayApprove,
  meetsRequirements,
  requirementsProblem,
} from './approval-places.ts'
import type { Approver, Person } from './approver.ts'

const person = (principal: string, ...groups: string[]): Person => ({ principal, groups })
const needs = (...factors: [Approver, number][]): ApprovalRequirement => ({
  anyOf: [factors.map(([from, approvals]) => ({ from: [from], approvals }))],
  excluded: [],
})

test('[POLICY-20] someone in two groups fills one place only', () => {
  const both = needs(['group:release', 1], ['group:security', 1])
  expect(meetsRequirements([both], [person('ann', 'release', 'security')])).toBe(false)
  expect(meetsRequirements([both], [person('ann', 'release', 'security'), person('bo', 'release')])).toBe(true)
  expect(meetsRequirements([both], [person('ann', 'release'), person('bo', 'release')])).toBe(false)
})

test('[POLICY-20] a person who accepts twice counts once', () => {
  const two = needs(['group:release', 2])
  expect(meetsRequirements([two], [person('ann', 'release'), person('ann', 'release')])).toBe(false)
})

test('[POLICY-20] an excluded person counts for no place of that requirement, and for others of another', () => {
  const release = { ...needs(['group:release', 1]), excluded: ['ann'] }
  expect(meetsRequirements([release], [person('ann', 'release')])).toBe(false)
  expect(
    meetsRequirements([release, needs(['person:ann', 1])], [person('ann', 'release'), person('bo', 'release')]),
  ).toBe(true)
  expect(mayApprove([release], person('ann', 'release'))).toBe(false)
  expect(mayApprove([release], person('bo', 'release'))).toBe(true)
})

test('[POLICY-20] one alternative is enough, and two equal requirements are one', () => {
  const either: ApprovalRequirement = {
    anyOf: [[{ from: ['group:release'], approvals: 2 }], [{ from: ['person:cto'], approvals: 1 }]],
    excluded: [],
  }
  expect(meetsRequirements([either, either], [person('cto')])).toBe(true)
  expect(meetsRequirements([either], [person('ann', 'release')])).toBe(false)
  expect(approvalsMissing([either], [person('ann', 'release')])).toBe(1)
  expect(approvalsMissing([either], [person('cto')])).toBe(0)
})

test.each<[string, readonly ApprovalRequirement[]]>([
  ['nothing', []],
  ['no alternative', [{ anyOf: [], excluded: [] }]],
  ['an alternative without factors', [{ anyOf: [[]], excluded: [] }]],
  ['no approvers', [{ anyOf: [[{ from: [], approvals: 1 }]], excluded: [] }]],
  ['no approvals', [needs(['group:release', 0])]],
  ['half an approval', [needs(['group:release', 1.5])]],
  ['too many approvals', [needs(['group:release', 17])]],
  ['fewer people than approvals', [needs(['person:ann', 2])]],
  ['only excluded people', [{ ...needs(['person:ann', 1]), excluded: ['ann'] }]],
  ['one person for two places', [needs(['person:ann', 1]), needs(['person:ann', 1], ['group:release', 1])]],
  ['a name that cannot be shown', [needs(['person:\u0000' as Approver, 1])]],
])('[POLICY-21] a requirement that cannot be met is refused: %s', (_what, requirements) => {
  expect(requirementsProblem(requirements)).toMatch(/./)
})

test('[POLICY-21] a requirement that can be met is accepted', () => {
  expect(requirementsProblem([needs(['group:release', 2]), needs(['person:ann', 1])])).toBeUndefined()
})

/** Tries every assignment of people to places. */
function byBruteForce(requirements: readonly ApprovalRequirement[], people: readonly Person[]): boolean {
  const unique = requirements.filter(
    (one, at) => requirements.findIndex((two) => JSON.stringify(one) === JSON.stringify(two)) === at,
  )
  const unused = [...new Map(people.map((one) => [one.principal, one])).values()]
  const place = (
    todo: { from: readonly string[]; excluded: readonly string[] }[],
    free: readonly Person[],
  ): boolean => {
    const [next, ...rest] = todo
    if (next === undefined) return true
    return free.some((one) => {
      const names = [`person:${one.principal}`, ...one.groups.map((group) => `group:${group}`)]
      const isFit = !next.excluded.includes(one.principal) && names.some((name) => next.from.includes(name))
      return (
        isFit &&
        place(
          rest,
          free.filter((two) => two !== one),
        )
      )
    })
  }
  const choose = (at: number, todo: { from: readonly string[]; excluded: readonly string[] }[]): boolean => {
    const requirement = unique[at]
    if (requirement === undefined) return place(todo, unused)
    return requirement.anyOf.some((factors) => {
      const own = factors.flatMap(({ from, approvals }) =>
        Array.from({ length: approvals }, () => ({ from, excluded: requirement.excluded })),
      )
      return choose(at + 1, [...todo, ...own])
    })
  }
  return choose(0, [])
}

test('[POLICY-20] the result is that of trying every assignment', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd')
  const approver = fc.oneof(
    name.map((one): Approver => `person:${one}`),
    fc.constantFrom<Approver>('group:x', 'group:y', 'group:z'),
  )
  const factor = fc.record({
    from: fc.uniqueArray(approver, { minLength: 1, maxLength: 3 }),
    approvals: fc.integer({ min: 1, max: 2 }),
  })
  const requirement = fc.record({
    anyOf: fc.array(fc.array(factor, { minLength: 1, maxLength: 2 }), { minLength: 1, maxLength: 2 }),
    excluded: fc.uniqueArray(name, { maxLength: 2 }),
  })
  const voter = fc.record({ principal: name, groups: fc.uniqueArray(fc.constantFrom('x', 'y', 'z'), { maxLength: 3 }) })
  fc.assert(
    fc.property(
      fc.array(requirement, { minLength: 1, maxLength: 3 }),
      fc.uniqueArray(voter, { selector: ({ principal }) => principal, maxLength: 4 }),
      (all, voters) => {
        expect(meetsRequirements(all, voters)).toBe(byBruteForce(all, voters))
        expect(approvalsMissing(all, voters) === 0).toBe(meetsRequirements(all, voters))
      },
    ),
    { numRuns: 3_000 },
  )
})
