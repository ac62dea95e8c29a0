import { describe, expect, test } from 'vitest'
import { aShortPolicy } from '../../../test-kit/policy/short-policy.ts'
import { Policies, type PolicySettings } from './policies.ts'
import type { PolicyCall } from './policy-set.ts'
import type { ShortPolicy } from './short-form.ts'

const short = (...[name, effect, changes]: Parameters<typeof aShortPolicy>) => ({
  place: { line: 1, column: 1 },
  policy: aShortPolicy(name, effect, changes),
})

const allowAll = short('everything else', 'allow')
const settings = (changes: Partial<PolicySettings> = {}): PolicySettings => ({
  shortForm: [allowAll],
  cedarFiles: [],
  groups: { release: ['group:release-managers', 'person:ann'], empty: [] },
  timeZone: 'UTC',
  issuer: 'https://login',
  ...changes,
})

async function open(changes: Partial<PolicySettings> = {}): Promise<Policies> {
  const opened = await Policies.open(settings(changes))
  if (!(opened instanceof Policies)) throw new Error(JSON.stringify(opened))
  return opened
}

const ann = { principal: 'https://login#ann', groups: ['engineers'], roles: [] }
const bob = { principal: 'https://login#bob', groups: ['engineers'], roles: [] }
const call = (changes: Partial<PolicyCall> = {}): PolicyCall => ({
  kind: 'tools',
  server: 'deploy',
  name: 'rollout',
  arguments: {},
  person: ann,
  claims: {},
  time: { hour: 10, minute: 0, weekday: 2, date: '2026-11-17' },
  ...changes,
})

test('[POLICY-8] a policy in dry run reports only calls that it applies to', async () => {
  const policies = await open({
    shortForm: [allowAll, short('trial', 'deny', { isDryRun: true, targets: ['*/roll*'] })],
  })
  expect(policies.decide(call()).effect).toBe('allow')
  expect(policies.dryRun(call())).toMatchObject({ effect: 'deny', policies: ['trial'] })
  expect(policies.dryRun(call({ name: 'status' }))).toBeUndefined()
  expect((await open()).dryRun(call())).toBeUndefined()
})

test('[POLICY-9] the digest changes with what can change a decision, and with nothing else', async () => {
  const digest = async (changes: Partial<PolicySettings>) => (await open(changes)).digest
  const trial = short('trial', 'deny', { isDryRun: true })
  const first = await digest({})
  expect(await digest({ shortForm: [{ ...allowAll, place: { line: 9, column: 9 } }, trial] })).toBe(first)
  const changed = await Promise.all([
    digest({ shortForm: [short('everything else', 'deny')] }),
    digest({ groups: { release: ['group:release-managers'], empty: [] } }),
    digest({ issuer: 'https://other' }),
    digest({ timeZone: 'Europe/Berlin' }),
    digest({ pinsDescriptions: true }),
  ])
  expect(new Set([first, ...changed]).size).toBe(6)
})

test('[POLICY-10] names of groups and people are resolved with the issuer', async () => {
  const policies = await open({
    shortForm: [
      short('ask', { ask: { ask: '2 of release & person:zoe | requester', exclude: 'person:eve, requester' } }),
    ],
  })
  const decision = policies.decide(call({ person: bob }))
  if (decision.effect !== 'ask') throw new Error(decision.effect)
  expect(policies.requirementsOf(decision.asks, bob.principal)).toEqual([
    {
      anyOf: [
        [
          { from: ['group:release-managers', 'person:https://login#ann'], approvals: 2 },
          { from: ['person:https://login#zoe'], approvals: 1 },
        ],
        [{ from: ['person:https://login#bob'], approvals: 1 }],
      ],
      excluded: ['https://login#eve', 'https://login#bob'],
    },
  ])
})

test('[POLICY-10] a policy for a group without members applies to no call', async () => {
  const policies = await open({ shortForm: [short('team', 'allow', { people: ['empty'] })] })
  expect(policies.decide(call())).toMatchObject({ effect: 'deny', because: 'not-permitted' })
  const team = await open({ shortForm: [short('team', 'allow', { people: ['release'] })] })
  expect([ann, bob].map((person) => team.decide(call({ person })).effect)).toEqual(['allow', 'deny'])
})

test('[POLICY-10] Cedar files name groups of the configuration as teams', async () => {
  const text = '@id("team") permit(principal in Team::"release", action, resource);'
  const policies = await open({ shortForm: [], cedarFiles: [{ file: 'a.cedar', text }] })
  expect([ann, bob].map((person) => policies.decide(call({ person })).effect)).toEqual(['allow', 'deny'])
})

test('[POLICY-11] a tool is left out only if every call of it is denied', async () => {
  const target = (name: string) => ({ kind: 'tools', server: 'deploy', name }) as const
  const policies = await open({
    shortForm: [
      short('engineers', 'allow', {
        people: ['group:engineers'],
        when: [{ path: ['env'], comparison: { is: 'text', anyOf: ['test'] } }],
      }),
      short('no debugging', 'deny', { targets: ['deploy/debug_*'] }),
      short('not in production', 'deny', {
        when: [{ path: ['env'], comparison: { is: 'text', anyOf: ['production'] } }],
      }),
    ],
  })
  const never = (person: PolicyCall['person'], name: string) => policies.neverAllowed(person, target(name))
  expect(never(ann, 'rollout')).toBe(false)
  expect(never(ann, 'debug_all')).toBe(true)
  expect(never({ ...ann, groups: [] }, 'rollout')).toBe(true)
  expect(never(ann, 'rollout')).toBe(false)
  expect(policies.neverAllowed(ann, { kind: 'prompts', server: 'deploy', name: 'x' })).toBe(false)
})

test('[POLICY-11] people with equal groups have different lists if a policy names one of them', async () => {
  const policies = await open({ shortForm: [short('ann', 'allow', { people: ['person:ann'] })] })
  const target = { kind: 'tools', server: 'deploy', name: 'rollout' } as const
  expect([ann, bob].map((person) => policies.neverAllowed(person, target))).toEqual([false, true])
})

test('[POLICY-12] a policy applies during or outside hours of the week', async () => {
  const work = { days: [1, 2, 3, 4, 5], fromMinute: 9 * 60, toMinute: 17 * 60 + 30 }
  const night = { days: [5], fromMinute: 22 * 60, toMinute: 6 * 60 }
  const effectAt = async (changes: Partial<ShortPolicy>, weekday: number, hour: number, minute: number) => {
    const policies = await open({ shortForm: [allowAll, short('hours', 'deny', changes)] })
    return policies.decide(call({ time: { weekday, hour, minute, date: '2026-11-17' } })).effect
  }
  expect(await effectAt({ outside: work }, 2, 8, 59)).toBe('deny')
  expect(await effectAt({ outside: work }, 2, 9, 0)).toBe('allow')
  expect(await effectAt({ outside: work }, 2, 17, 29)).toBe('allow')
  expect(await effectAt({ outside: work }, 2, 17, 30)).toBe('deny')
  expect(await effectAt({ outside: work }, 6, 12, 0)).toBe('deny')
  expect(await effectAt({ during: night }, 5, 23, 0)).toBe('deny')
  expect(await effectAt({ during: night }, 6, 5, 59)).toBe('deny')
  expect(await effectAt({ during: night }, 5, 5, 59)).toBe('allow')
})

test('[POLICY-12] the time of a call is that of the configured time zone', async () => {
  const berlin = await open({ timeZone: 'Europe/Berlin' })
  const atMs = Date.UTC(2026, 6, 31, 22, 30)
  expect(berlin.timeAt(atMs)).toEqual({ hour: 0, minute: 30, weekday: 6, date: '2026-08-01' })
  expect((await open()).timeAt(atMs)).toEqual({ hour: 22, minute: 30, weekday: 5, date: '2026-07-31' })
})

test('[POLICY-13] mistakes in Cedar files are reported with line and column', async () => {
  const text =
    '@id("a") permit(principal, action, resource);\n\n  @id("b") permit(principal, action, resource) when { context.x = 1 };'
  expect(await Policies.open(settings({ cedarFiles: [{ file: 'bad.cedar', text }] }))).toMatchObject([
    { place: { file: 'bad.cedar', line: 3 }, problem: expect.stringMatching(/not valid Cedar/) },
  ])
  const template = '// one\n@id("t") permit(principal == ?principal, action, resource);'
  expect(await Policies.open(settings({ cedarFiles: [{ file: 't.cedar', text: template }] }))).toMatchObject([
    { place: { file: 't.cedar', line: 2, column: 1 }, problem: expect.stringMatching(/Templates/) },
  ])
  const unnamed = '@id("a") permit(principal, action, resource);\n  permit(principal, action, resource);'
  expect(await Policies.open(settings({ cedarFiles: [{ file: 'u.cedar', text: unnamed }] }))).toMatchObject([
    { place: { file: 'u.cedar', line: 2, column: 3 }, problem: expect.stringMatching(/needs a name/) },
  ])
})

describe('attributes of the person, the tool and the request', () => {
  const decideBy = async (condition: string, changes: Partial<PolicyCall>) => {
    const text = `@id("all") permit (principal, action, resource);
      @id("closed") forbid (principal, action, resource) when { ${condition} };`
    const policies = await open({ shortForm: [], cedarFiles: [{ file: 'a.cedar', text }] })
    return policies.decide(call(changes)).effect
  }

  test('[POLICY-60] a policy can refer to the roles of the person', async () => {
    const condition = '!principal.roles.contains("deployer")'
    const withRoles = (...roles: string[]) => ({ person: { principal: 'ann', groups: [], roles } })
    expect(await decideBy(condition, withRoles('auditor', 'deployer'))).toBe('allow')
    expect(await decideBy(condition, withRoles('auditor'))).toBe('deny')
    expect(await decideBy(condition, withRoles())).toBe('deny')
  })

  test('[POLICY-61] a policy can refer to the address of the caller; without an address it fails', async () => {
    const condition = '!context.address.isInRange(ip("10.0.0.0/8")) && !context.address.isLoopback()'
    expect(await decideBy(condition, { address: '10.1.2.3' })).toBe('allow')
    expect(await decideBy(condition, { address: '::1' })).toBe('allow')
    expect(await decideBy(condition, { address: '203.0.113.7' })).toBe('deny')
    expect(await decideBy(condition, { address: '2001:db8::7' })).toBe('deny')
    expect(await decideBy(condition, {})).toBe('deny')
    expect(await decideBy(condition, { address: 'unknown' })).toBe('deny')
  })

  test('[POLICY-61] a policy gets the time, the claims and the address however it refers to them', async () => {
    const facts = {
      address: '10.1.2.3',
      claims: { client: 'bench' },
      time: { hour: 23, minute: 0, weekday: 6, date: '2026-11-21' },
    }
    for (const condition of [
      'context.time.hour > 20',
      'context["time"]["hour"] > 20',
      'context has time',
      'context has time.weekday && context.time.weekday == 6',
      'context.claims.client == "bench"',
      'context.claims has client',
      'context has address',
      '(if true then context else context).address.isIpv4()',
      'context == context && context has time && context has claims && context has address',
      '!(context == {"args": {}, "integers": [], "absent": []})',
    ])
      expect(await decideBy(condition, facts), condition).toBe('deny')
    for (const condition of ['context.time.hour < 20', 'context.claims.client == "other"', 'context.claims has agent'])
      expect(await decideBy(condition, facts), condition).toBe('allow')
  })

  test('[POLICY-60] a policy gets the attributes of the person and the tool however it reads them', async () => {
    const facts = { annotations: { readOnlyHint: true }, person: { principal: 'ann', groups: [], roles: ['deployer'] } }
    for (const condition of [
      'resource.readOnly',
      'resource["readOnly"]',
      'resource has readOnly && resource has name',
      '(if true then resource else resource).readOnly',
      '!resource.destructive && resource.server == "deploy"',
      'principal has roles',
      'principal["roles"].contains("deployer")',
      '[resource.name].contains("rollout")',
      '{"a": resource.readOnly}.a',
    ])
      expect(await decideBy(condition, facts), condition).toBe('deny')
    for (const condition of ['resource.destructive', 'principal.roles.isEmpty()', 'resource has owner'])
      expect(await decideBy(condition, facts), condition).toBe('allow')
  })

  test('[POLICY-62] a policy can refer to a changed definition', async () => {
    expect(await decideBy('resource.definitionChanged', { isDefinitionChanged: true })).toBe('deny')
    expect(await decideBy('resource.definitionChanged', {})).toBe('allow')
  })

  test('[POLICY-62] an allowed call of a changed tool needs the requester; asks and denies stay as they are', async () => {
    const changed = { isDefinitionChanged: true }
    const allowing = await open({ shortForm: [allowAll] })
    const decision = allowing.decide(call(changed))
    expect(decision).toMatchObject({ effect: 'ask', asks: [{ policy: 'changed tool definition' }] })
    const asks = decision.effect === 'ask' ? decision.asks : []
    expect(allowing.requirementsOf(asks, 'ann')).toEqual([
      { anyOf: [[{ from: ['person:ann'], approvals: 1 }]], excluded: [] },
    ])
    const asking = await open({ shortForm: [allowAll, short('two', { ask: { ask: '2 of group:release' } })] })
    expect(asking.decide(call(changed))).toMatchObject({ effect: 'ask', asks: [{ policy: 'two' }] })
    const denying = await open({ shortForm: [allowAll, short('closed', 'deny')] })
    expect(denying.decide(call(changed))).toMatchObject({ effect: 'deny' })
    const others = await open({ shortForm: [short('prompts', 'allow', { kind: 'prompts' })] })
    expect(others.decide(call(changed))).toMatchObject({ effect: 'allow' })
  })

  test('[POLICY-62] a tool is not left out of a list because its definition changed', async () => {
    const text = `@id("same") permit (principal, action, resource) unless { resource.definitionChanged };`
    const policies = await open({ shortForm: [], cedarFiles: [{ file: 'a.cedar', text }] })
    const { person, kind, server, name } = call()
    expect(policies.neverAllowed(person, { kind, server, name })).toBe(false)
    expect(policies.decide(call({ isDefinitionChanged: true })).effect).toBe('deny')
  })

  test('[POLICY-63] owners are people and groups, with the members of `groups:`', async () => {
    const owners = ['release', 'group:security', 'person:zoe']
    const policies = await open({ groups: { release: ['group:release-managers'] }, issuer: 'https://id', owners })
    expect(policies.owners).toEqual(['group:release-managers', 'group:security', 'person:https://id#zoe'])
    expect((await open()).owners).toEqual([])
  })
})
