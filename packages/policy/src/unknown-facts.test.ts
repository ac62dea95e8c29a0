import { expect, test } from 'vitest'
import { aShortPolicy } from '../../../test-kit/policy/short-policy.ts'
import { Policies } from './policies.ts'
import type { PolicyCall } from './policy-set.ts'

const call: PolicyCall = {
  kind: 'tools',
  server: 'deploy',
  name: 'rollout',
  arguments: {},
  person: { principal: 'ann', groups: [], roles: [] },
  claims: {},
  time: { hour: 10, minute: 0, weekday: 2, date: '2026-11-17' },
}

async function open() {
  const all = [
    aShortPolicy('production', 'deny', {
      targets: ['deploy/*'],
      when: [{ path: ['env'], comparison: { is: 'text', anyOf: ['production'] } }],
    }),
    aShortPolicy('destructive', 'deny', { annotations: { destructive: true } }),
    aShortPolicy('everything else', 'allow'),
  ]
  const shortForm = all.map((policy, index) => ({ place: { line: index + 1, column: 1 }, policy }))
  const opened = await Policies.open({ shortForm, cedarFiles: [], groups: {}, timeZone: 'UTC' })
  if (!(opened instanceof Policies)) throw new Error(JSON.stringify(opened))
  return opened
}

const nothing = { attributes: new Set<string>(), isArgumentUnknown: () => false }

test('[POLICY-49] a policy that refers to an unknown part is named, unless it is about other tools', async () => {
  const policies = await open()
  expect(policies.undecidable(call, nothing)).toEqual([])
  const args = { ...nothing, isArgumentUnknown: ([name]: readonly string[]) => name === 'env' }
  expect(policies.undecidable(call, args)).toEqual(['production'])
  expect(policies.undecidable({ ...call, server: 'files' }, args)).toEqual([])
  expect(policies.undecidable(call, { ...nothing, isArgumentUnknown: ([name]) => name === 'other' })).toEqual([])
  const attributes = { ...nothing, attributes: new Set(['resource.destructive']) }
  expect(policies.undecidable(call, attributes)).toEqual(['destructive'])
  expect(policies.undecidable({ ...call, kind: 'prompts' }, attributes)).toEqual([])
  // Known as not destructive here: the annotation must count as unknown all the same.
  expect(policies.undecidable({ ...call, annotations: { readOnlyHint: true } }, attributes)).toEqual(['destructive'])
})
