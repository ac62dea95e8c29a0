import type { ServerResponse } from 'node:http'
import type { DecisionPoint, PolicyCall } from '@assent/policy'
import { expect, test } from 'vitest'
import { listening } from '../../../../../test-kit/close-after-test.ts'
import { allowAll, type PolicyText, policiesOf, twoOfRelease } from '../../contract/policies.suite.ts'
import { AuthzenDecider } from './authzen-decider.ts'

const call: PolicyCall = {
  kind: 'tools',
  server: 'deploy',
  name: 'rollout',
  arguments: {},
  person: { principal: 'ann', groups: [], roles: [] },
  claims: {},
  time: { hour: 10, minute: 0, weekday: 2, date: '2026-11-17' },
}
const deny: PolicyText = { name: 'closed', effect: 'deny' }
const inProduction: PolicyText = {
  ...twoOfRelease,
  when: [{ path: ['env'], comparison: { is: 'text', anyOf: ['production'] } }],
}
const other: PolicyText = { ...allowAll, targets: ['deploy/other'] }

const permits = (response: ServerResponse) => response.end('{"decision":true}')
const denies = (response: ServerResponse) => response.end('{"decision":false}')

async function decided(
  mode: DecisionPoint['mode'],
  policies: readonly PolicyText[],
  respond: (response: ServerResponse) => void,
  timeoutMs = 20_000,
  about = call,
) {
  let requests = 0
  const errors: string[] = []
  const { url } = await listening((_request, response) => {
    requests += 1
    respond(response)
  })
  const point = { endpoint: new URL(url), headers: {}, timeoutMs, mode }
  const decider = new AuthzenDecider(await policiesOf(...policies), point, ({ message }) => errors.push(message))
  const decision = await decider.decide(about)
  return { decider, decision, requests, errors }
}

test('[AUTHZEN-1] an additional decision point must permit what the policies allow or ask about', async () => {
  expect((await decided('additional', [allowAll], permits)).decision).toMatchObject({
    effect: 'allow',
    policies: ['everything else', 'authzen'],
  })
  expect((await decided('additional', [allowAll], denies)).decision).toMatchObject({
    effect: 'deny',
    because: 'forbidden',
    policies: ['authzen'],
  })
  expect((await decided('additional', [allowAll, twoOfRelease], permits)).decision).toMatchObject({
    effect: 'ask',
    asks: [{ policy: 'release' }],
  })
  expect((await decided('additional', [allowAll, twoOfRelease], denies)).decision).toMatchObject({ effect: 'deny' })
  expect((await decided('additional', [], denies)).decision).toMatchObject({ effect: 'deny', policies: ['authzen'] })
})

test('[AUTHZEN-1] a deny of the policies holds, and the decision point is not asked', async () => {
  for (const mode of ['additional', 'alternative'] as const) {
    const { decision, requests } = await decided(mode, [allowAll, deny], permits)
    expect(decision).toMatchObject({ effect: 'deny', policies: ['closed'] })
    expect(requests).toBe(0)
  }
})

test('[AUTHZEN-2] an alternative decision point is asked only about calls that no policy permits', async () => {
  expect((await decided('alternative', [other], permits)).decision).toMatchObject({
    effect: 'allow',
    policies: ['authzen'],
  })
  expect((await decided('alternative', [other], denies)).decision).toMatchObject({ effect: 'deny' })
  expect((await decided('alternative', [], permits)).decision).toMatchObject({ effect: 'allow' })
  expect((await decided('alternative', [], denies)).decision).toMatchObject({ effect: 'deny' })
  const allowed = await decided('alternative', [allowAll], denies)
  expect(allowed).toMatchObject({ decision: { effect: 'allow' }, requests: 0 })
  const asked = await decided('alternative', [allowAll, twoOfRelease], permits)
  expect(asked).toMatchObject({ decision: { effect: 'ask' }, requests: 0 })
})

test('[AUTHZEN-2] an alternative permit does not replace a policy that could not be evaluated', async () => {
  const { decision, requests } = await decided('alternative', [inProduction], permits)
  expect(decision).toMatchObject({ effect: 'deny', because: 'not-permitted' })
  expect(requests).toBe(0)
})

test('[AUTHZEN-7] what a decision point permits needs the approval of the requester while the definition is not accepted', async () => {
  const changed = { ...call, isDefinitionChanged: true }
  for (const [mode, policies] of [
    ['additional', [allowAll]],
    ['additional', []],
    ['alternative', [other]],
    ['alternative', []],
  ] as const) {
    const { decision } = await decided(mode, policies, permits, 20_000, changed)
    expect(decision).toMatchObject({ effect: 'ask', asks: [{ policy: 'changed tool definition' }] })
  }
  expect((await decided('alternative', [other], denies, 20_000, changed)).decision).toMatchObject({ effect: 'deny' })
})

test.each<[what: string, respond: (response: ServerResponse) => void]>([
  ['no response', () => undefined],
  ['an error', (response) => response.writeHead(500).end('{"decision":true}')],
  ['an invalid response', (response) => response.end('{"decision":"yes"}')],
  ['a broken connection', (response) => response.destroy()],
])('[AUTHZEN-3] %s of the decision point denies the call and is reported', async (_what, respond) => {
  for (const [mode, policies] of [
    ['additional', [allowAll]],
    ['additional', [allowAll, twoOfRelease]],
    ['alternative', [other]],
  ] as const) {
    const { decision, errors } = await decided(mode, policies, respond, 200)
    expect(decision).toMatchObject({ effect: 'deny', because: 'failed', policies: ['authzen'] })
    expect(errors).toEqual([expect.stringContaining('gave no valid answer')])
  }
})

test('[AUTHZEN-4] the decision point does not change what lists show, and an alternative one hides nothing', async () => {
  const target = { kind: 'tools', server: 'deploy', name: 'rollout', annotations: {} } as const
  const additional = await decided('additional', [other], denies)
  expect(additional.decider.neverAllowed(call.person, target)).toBe(true)
  expect([additional.decider.hides('tools'), additional.decider.hides('prompts')]).toEqual([true, false])
  const alternative = await decided('alternative', [other], denies)
  expect(alternative.decider.neverAllowed(call.person, target)).toBe(false)
  expect(alternative.decider.hides('tools')).toBe(false)
})

test('[AUTHZEN-1] with a decision point, too, policies that exclude the requester are known', async () => {
  const ofPolicies = async (...policies: readonly PolicyText[]) =>
    (await decided('additional', policies, permits)).decider.excludesRequester

  expect(await ofPolicies(allowAll)).toBe(false)
  expect(
    await ofPolicies(allowAll, {
      ...twoOfRelease,
      effect: { ask: { ask: '2 of group:release', exclude: 'requester' } },
    }),
  ).toBe(true)
})
