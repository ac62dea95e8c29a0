import { expect, test } from 'vitest'
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
  ])
  expect(new Set([first, ...changed]).size).toBe(5)
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

test.each([
  ['principal.roles', 'principal.roles.contains("admin")'],
  ['principal.roles', 'principal has roles'],
  ['resource.definitionChanged', '!resource.definitionChanged'],
  ['context.address', 'context has address && context.address like "10.*"'],
])(
  '[POLICY-48] a policy that refers to %s is refused, because the gateway does not set it',
  async (attribute, test) => {
    const text = `@id("closed") forbid (principal, action, resource) when { ${test} };`
    const allowed = `@id("named") permit (principal, action, resource) when { context.args.roles == "a" };`

    expect(await Policies.open(settings({ cedarFiles: [{ file: 'a.cedar', text }] }))).toMatchObject([
      { place: { file: 'a.cedar' }, problem: `This version of Assent does not set ${attribute}.` },
    ])
    expect(await Policies.open(settings({ cedarFiles: [{ file: 'a.cedar', text: allowed }] }))).toBeInstanceOf(Policies)
  },
)
