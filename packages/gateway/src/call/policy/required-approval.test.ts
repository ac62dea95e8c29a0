import type { ApprovalRequirement } from '@assent/core'
import type { AskTerms, PolicyAsk } from '@assent/policy'
import { expect, test } from 'vitest'
import { isCovered, requiredApproval } from './required-approval.ts'

const terms: AskTerms = {
  anyOf: [[{ from: ['group:release'], approvals: 1 }]],
  exclude: [],
  declines: 1,
  needsPresence: false,
  needsReason: false,
  surfaces: ['inbox'],
}
const ask = (policy: string, changes: Partial<AskTerms> = {}): PolicyAsk => ({
  policy,
  terms: { ...terms, ...changes },
})
const release: ApprovalRequirement = { anyOf: [[{ from: ['group:release'], approvals: 1 }]], excluded: [] }
const security: ApprovalRequirement = { anyOf: [[{ from: ['group:security'], approvals: 1 }]], excluded: ['ann'] }

test('[POLICY-44] of several policies the strictest terms apply', () => {
  const together = requiredApproval(
    [
      ask('a', { declines: 3, decideWithinMs: 60_000, useWithinMs: 5_000, surfaces: ['inbox', 'client'] }),
      ask('b', { declines: 2, decideWithinMs: 30_000, needsReason: true, needsPresence: true }),
    ],
    [release, security],
  )

  expect(together).toEqual({
    policies: ['a', 'b'],
    requirements: [release, security],
    declines: 2,
    decideWithinMs: 30_000,
    useWithinMs: 5_000,
    needsReason: true,
    needsPresence: true,
  })
})

test('[POLICY-44] the client may be asked only if every policy says so', () => {
  const client = ask('a', { surfaces: ['client'] })

  expect(requiredApproval([client], [release])).toMatchObject({ isOnClient: true })
  expect(requiredApproval([client, ask('b')], [release])).not.toHaveProperty('isOnClient')
})

test('[POLICY-39] an approval covers what is required now only if nothing became stricter', () => {
  const approved = requiredApproval([ask('a')], [release, security])
  const now = (changes: Partial<AskTerms>, requirements = [release]) =>
    requiredApproval([ask('a', changes)], requirements)

  expect(isCovered(now({}), approved)).toBe(true)
  expect(isCovered(now({}, [security, release]), approved)).toBe(true)
  expect(isCovered(now({ surfaces: ['client'] }), approved)).toBe(true)
  expect(isCovered(now({}, [{ ...release, excluded: ['ann'] }]), approved)).toBe(false)
  expect(isCovered(now({ needsPresence: true }), approved)).toBe(false)
  expect(isCovered(now({ needsReason: true }), approved)).toBe(false)
  const atClient = requiredApproval([ask('a', { surfaces: ['client'] })], [release])
  expect(isCovered(now({}), atClient)).toBe(false)
})
