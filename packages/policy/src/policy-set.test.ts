import type { JsonObject, JsonValue } from '@assent/core'
import { expect, test } from 'vitest'
import { aShortPolicy } from '../../../test-kit/policy/short-policy.ts'
import { loadCedar } from './cedar.ts'
import { type PolicyCall, PolicySet, type PolicySource } from './policy-set.ts'
import { type Condition, compileShortForm } from './short-form.ts'

const short = (...[name, effect, changes]: Parameters<typeof aShortPolicy>) => ({
  place: { line: 1, column: 1 },
  policy: compileShortForm(aShortPolicy(name, effect, changes), { groups: {} }),
})

async function cedar(text: string) {
  const parsed = (await loadCedar()).policyToJson(text)
  if (parsed.type === 'failure') throw new Error(JSON.stringify(parsed.errors))
  return { place: { file: 'cedar', line: 1, column: 1 }, policy: parsed.json }
}

async function setOf(...sources: Parameters<typeof PolicySet.build>[0][number][]): Promise<PolicySet> {
  const built = await PolicySet.build(sources, new Set(['release']))
  if (!(built instanceof PolicySet)) throw new Error(JSON.stringify(built))
  return built
}

const call = (args: JsonObject, changes: Partial<PolicyCall> = {}): PolicyCall => ({
  kind: 'tools',
  server: 'deploy',
  name: 'rollout',
  arguments: args,
  person: { principal: 'ann', groups: ['engineers'], roles: [] },
  claims: {},
  time: { hour: 10, minute: 0, weekday: 2, date: '2026-11-17' },
  ...changes,
})

const when = (name: string, comparison: Condition['comparison']): Condition => ({ path: name.split('.'), comparison })
const askRelease = { ask: { ask: '2 of release', exclude: 'requester', within: '30m' } }
const allowAll = short('everything else', 'allow')
const production = short('production', askRelease, { when: [when('env', { is: 'text', anyOf: ['production'] })] })
const effectOf = (set: PolicySet, args: JsonObject, changes: Partial<PolicyCall> = {}) =>
  set.decide(call(args, changes)).effect

test('[POLICY-1] deny beats ask, and ask beats allow', async () => {
  const deny = short('no debugging', 'deny', { targets: ['*/debug_*'] })
  const set = await setOf(allowAll, production, deny)
  expect(effectOf(set, { env: 'staging' })).toBe('allow')
  expect(set.decide(call({ env: 'production' }))).toMatchObject({
    effect: 'ask',
    asks: [{ policy: 'production', terms: { exclude: ['requester'], decideWithinMs: 1_800_000 } }],
  })
  expect(set.decide(call({ env: 'production' }, { name: 'debug_all' }))).toMatchObject({
    effect: 'deny',
    because: 'forbidden',
    policies: ['no debugging'],
  })
})

test('[POLICY-1] a call that no policy permits is denied; kinds that no policy mentions are not affected', async () => {
  const set = await setOf(short('only deploys', 'allow', { targets: ['deploy/*'] }))
  expect(effectOf(set, {})).toBe('allow')
  expect(set.decide(call({}, { server: 'files' }))).toMatchObject({ effect: 'deny', because: 'not-permitted' })
  expect(effectOf(set, {}, { kind: 'prompts', server: 'files' })).toBe('allow')
})

test.each<[string, JsonObject]>([
  ['is missing', {}],
  ['is null', { env: null }],
  ['is a number', { env: 5 }],
  ['is a list with the text', { env: ['production'] }],
  ['is an object', { env: { value: 'production' } }],
  ['is an entity of Cedar', { env: { __entity: { type: 'Person', id: 'ann' } } }],
  ['is an extension value of Cedar', { env: { __extn: { fn: 'decimal', arg: '1.0' } } }],
  ['is too long', { env: 'x'.repeat(70_000) }],
])(
  '[POLICY-2] a policy that asks applies when the argument %s, even if another one allows everything',
  async (_what, args) => {
    expect(effectOf(await setOf(allowAll, production), args)).toBe('ask')
    const denying = short('none in production', 'deny', { when: [when('env', { is: 'text', anyOf: ['production'] })] })
    expect(effectOf(await setOf(allowAll, denying), args)).toBe('deny')
    const permitting = short('staging only', 'allow', { when: [when('env', { is: 'text', anyOf: ['staging'] })] })
    expect(effectOf(await setOf(permitting), args)).toBe('deny')
  },
)

test('[POLICY-2] an argument that cannot be compared makes a Cedar policy with a has test apply too', async () => {
  const guarded = await cedar(
    '@id("large") @ask("release") permit(principal, action, resource) when { context.args has amount && context.args.amount.greaterThan(decimal("100.0")) };',
  )
  const set = await setOf(allowAll, guarded)
  const schema = { type: 'object', properties: { amount: { type: 'number' } } }
  expect(effectOf(set, { amount: 50 }, { schema })).toBe('allow')
  expect(effectOf(set, { amount: 100.5 }, { schema })).toBe('ask')
  expect(effectOf(set, {}, { schema })).toBe('allow')
  for (const amount of [1e300, 0.00001, { __entity: 1 }] as JsonValue[]) {
    expect(effectOf(set, { amount }, { schema })).toBe('ask')
  }
})

test('[POLICY-2] a policy applies if the call has another argument that a tolerant server would read', async () => {
  const set = await setOf(allowAll, production)
  expect(effectOf(set, { env: 'staging' })).toBe('allow')
  for (const alike of ['ENV', 'ｅｎｖ', 'e\u0301nv', 'env\u200b', 'e_nv'])
    expect([alike, effectOf(set, { env: 'staging', [alike]: 'production' })]).toEqual([alike, 'ask'])
  const schema = { type: 'object', properties: { env: { type: 'string' }, ENV: { type: 'string' } } }
  expect(effectOf(set, { env: 'staging', ENV: 'production' }, { schema })).toBe('allow')
  expect(effectOf(set, { env: 'staging', Env: 'production' }, { schema })).toBe('ask')

  const nested = await setOf(
    allowAll,
    short('large', 'deny', { when: [when('pay.risk', { is: 'text', anyOf: ['high'] })] }),
  )
  expect(effectOf(nested, { pay: { risk: 'low', total: 1 } })).toBe('allow')
  // Upper case of "ſ" is "S", and lower case of the Kelvin sign is "k".
  expect(effectOf(nested, { pay: { risk: 'low', 'ri\u017fk': 'high' } })).toBe('deny')
  expect(effectOf(nested, { pay: { risk: 'low', 'ris\u212a': 'high' } })).toBe('deny')
  expect(effectOf(nested, { pay: { risk: 'low' }, Pay: { risk: 'high' } })).toBe('deny')
})

test('[POLICY-2] an argument that cannot be compared does not affect policies about other tools or people', async () => {
  const inProduction = [when('env', { is: 'text', anyOf: ['production'] })]
  const args = { env: { __entity: 1 } }
  const ofTool = short('files', 'deny', { targets: ['files/*'], when: inProduction })
  const ofPeople = short('sales', 'deny', { people: ['group:sales'], when: inProduction })
  const ofKind = short('prompts', 'deny', { kind: 'prompts', when: inProduction })
  const set = await setOf(allowAll, ofTool, ofPeople, ofKind)
  expect(effectOf(set, args)).toBe('allow')
  expect(effectOf(set, args, { server: 'files' })).toBe('deny')
  expect(effectOf(set, args, { person: { principal: 'eve', groups: ['sales'], roles: [] } })).toBe('deny')
})

test('[POLICY-3] a tool whose schema rules the argument out is not covered by the policy', async () => {
  const set = await setOf(allowAll, production)
  const closed = { type: 'object', properties: { id: { type: 'string' } }, additionalProperties: false }
  expect(effectOf(set, { id: 'x' }, { schema: closed })).toBe('allow')
  expect(effectOf(set, { id: 'x', env: 'production' }, { schema: closed })).toBe('ask')
  expect(effectOf(set, { id: 'x' }, { schema: { ...closed, additionalProperties: true } })).toBe('ask')
  expect(effectOf(set, { id: 'x' }, { schema: { ...closed, $ref: '#/$defs/more' } })).toBe('ask')
})

test.each<['equal' | 'above' | 'atLeast' | 'below' | 'atMost', number, [number, boolean][]]>([
  [
    'above',
    100,
    [
      [100, false],
      [101, true],
    ],
  ],
  [
    'above',
    99.5,
    [
      [99, false],
      [100, true],
    ],
  ],
  [
    'atLeast',
    99.5,
    [
      [99, false],
      [100, true],
    ],
  ],
  [
    'below',
    99.5,
    [
      [99, true],
      [100, false],
    ],
  ],
  [
    'atMost',
    99.5,
    [
      [99, true],
      [100, false],
    ],
  ],
  [
    'equal',
    99.5,
    [
      [99, false],
      [100, false],
    ],
  ],
  [
    'equal',
    100,
    [
      [99, false],
      [100, true],
    ],
  ],
])('[POLICY-4] %s %d compares whole numbers and decimals', async (is, number, cases) => {
  const comparison: Condition['comparison'] = is === 'equal' ? { is, anyOf: [number] } : { is, number }
  const set = await setOf(allowAll, short('money', askRelease, { when: [when('pay.amount', comparison)] }))
  for (const type of ['integer', 'number', undefined]) {
    const amount = type === undefined ? {} : { type }
    const schema = { type: 'object', properties: { pay: { type: 'object', properties: { amount } } } }
    for (const [value, isAsked] of cases) {
      expect([type, value, effectOf(set, { pay: { amount: value } }, { schema })]).toEqual([
        type,
        value,
        isAsked ? 'ask' : 'allow',
      ])
    }
  }
  expect(effectOf(set, { pay: { amount: '1000' } })).toBe('ask')
  expect(effectOf(set, { pay: [] })).toBe('ask')
})

test('[POLICY-4] flags, patterns, lists and negated conditions', async () => {
  const asks = async (condition: Condition, args: JsonObject) =>
    effectOf(await setOf(allowAll, short('one', askRelease, { when: [condition] })), args)
  expect(await asks(when('force', { is: 'flag', value: true }), { force: true })).toBe('ask')
  expect(await asks(when('force', { is: 'flag', value: true }), { force: false })).toBe('allow')
  expect(await asks(when('force', { is: 'flag', value: true }), { force: 'false' })).toBe('ask')
  expect(await asks(when('env', { is: 'pattern', anyOf: ['prod-*'] }), { env: 'prod-eu' })).toBe('ask')
  expect(await asks(when('env', { is: 'pattern', anyOf: ['prod-*'] }), { env: 'test' })).toBe('allow')
  expect(await asks(when('env', { is: 'text', anyOf: ['prod-*'] }), { env: 'prod-eu' })).toBe('allow')
  expect(await asks(when('tags', { is: 'contains', text: 'live' }), { tags: ['a', 'live'] })).toBe('ask')
  expect(await asks(when('tags', { is: 'contains', text: 'live' }), { tags: ['a'] })).toBe('allow')
  expect(await asks({ ...when('env', { is: 'text', anyOf: ['test'] }), isNegated: true }, { env: 'test' })).toBe(
    'allow',
  )
  expect(await asks({ ...when('env', { is: 'text', anyOf: ['test'] }), isNegated: true }, { env: 'live' })).toBe('ask')
})

test('[POLICY-5] a tool without annotations counts as destructive, one with readOnlyHint does not', async () => {
  const set = await setOf(allowAll, short('destructive', askRelease, { annotations: { destructive: true } }))
  expect(effectOf(set, {})).toBe('ask')
  expect(effectOf(set, {}, { annotations: { readOnlyHint: true } })).toBe('allow')
  expect(effectOf(set, {}, { annotations: { destructiveHint: false } })).toBe('allow')
  expect(effectOf(set, {}, { annotations: { destructiveHint: 'false' } })).toBe('ask')
})

test('[POLICY-6] people and groups limit a policy', async () => {
  const set = await setOf(short('engineers', 'allow', { people: ['group:engineers', 'person:zoe'] }))
  const as = (principal: string, ...groups: string[]) => ({ person: { principal, groups, roles: [] } })
  expect(effectOf(set, {})).toBe('allow')
  expect(effectOf(set, {}, as('zoe'))).toBe('allow')
  expect(effectOf(set, {}, as('eve', 'sales'))).toBe('deny')
})

test('[CARD-15] an ask is destructive if its policy says so, or is limited to destructive tools', async () => {
  const isMarked = async (policy: PolicySource) => {
    const decision = (await setOf(policy)).decide(call({}))
    return decision.effect === 'ask' && decision.asks.every(({ terms }) => terms.isDestructive === true)
  }
  expect(await isMarked(short('plain', askRelease))).toBe(false)
  expect(await isMarked(short('tools', askRelease, { annotations: { destructive: true } }))).toBe(true)
  expect(await isMarked(short('others', askRelease, { annotations: { readOnly: false } }))).toBe(false)
  const marked = '@id("x") @ask("release") @risk("destructive") permit(principal, action, resource);'
  expect(await isMarked(await cedar(marked))).toBe(true)
})

test.each<[string, string, RegExp]>([
  ['a forbid that asks', '@id("x") @ask("release") forbid(principal, action, resource);', /cannot ask/],
  ['an unknown group', '@id("x") @ask("relaese") permit(principal, action, resource);', /no group "relaese"/],
  ['no name', '@ask("release") permit(principal, action, resource);', /needs a name/],
  ['an invalid count', '@id("x") @ask("0 of release") permit(principal, action, resource);', /names and counts/],
  ['an invalid duration', '@id("x") @ask("release") @within("30") permit(principal, action, resource);', /duration/],
  [
    'no time to decide',
    '@id("x") @ask("release") @within("0s") permit(principal, action, resource);',
    /from 1s to 14d/,
  ],
  ['too long to decide', '@id("x") @ask("release") @within("15d") permit(principal, action, resource);', /to 14d/],
  ['too long to use', '@id("x") @ask("release") @use_within("60d") permit(principal, action, resource);', /to 14d/],
  ['too many declines', '@id("x") @ask("release") @declines("500") permit(principal, action, resource);', /1 to 16/],
  ['an unknown surface', '@id("x") @ask("release") @surfaces("chat") permit(principal, action, resource);', /inbox/],
  ['an unclear presence', '@id("x") @ask("release") @presence("yes") permit(principal, action, resource);', /required/],
  ['an unknown risk', '@id("x") @ask("release") @risk("high") permit(principal, action, resource);', /destructive/],
  [
    'a risk without an ask',
    '@id("x") @risk("destructive") permit(principal, action, resource);',
    /belongs to a policy/,
  ],
  [
    'a misspelled annotation',
    '@id("x") @aks("release") permit(principal, action, resource);',
    /Unknown annotation @aks/,
  ],
  [
    'terms without an ask',
    '@id("x") @within("30m") permit(principal, action, resource);',
    /belongs to a policy that asks/,
  ],
  ['an unknown mode', '@id("x") @mode("dryrun") permit(principal, action, resource);', /enforce or dry-run/],
])('[POLICY-7] policies with a mistake are refused: %s', async (_what, text, problem) => {
  const built = await PolicySet.build([await cedar(text)], new Set(['release']))
  const [found, ...more] = built instanceof PolicySet ? [] : built
  expect(more).toEqual([])
  expect(found?.place).toMatchObject({ file: 'cedar' })
  expect(`${found?.problem} ${found?.suggestion}`).toMatch(problem)
})

test('[POLICY-8] a dry-run policy decides nothing, and is evaluated as a set of its own', async () => {
  const trial = short('trial', 'deny', { isDryRun: true })
  expect(effectOf(await setOf(allowAll, trial), {})).toBe('allow')
  const dryRun = await PolicySet.build([allowAll, trial], new Set(), 'dry-run')
  expect(dryRun).toBeInstanceOf(PolicySet)
  expect((dryRun as PolicySet).decide(call({}))).toMatchObject({ effect: 'deny', policies: ['trial'] })
})

test('[POLICY-34] asks are in the order of the policies, so that equal calls have equal requirements', async () => {
  const names = ['f', 'b', 'h', 'a', 'g', 'c', 'e', 'd']
  const conditions = [when('env', { is: 'text', anyOf: ['production'] })]
  const asks = names.map((name, index) => short(name, askRelease, index % 2 === 0 ? {} : { when: conditions }))
  const set = await setOf(allowAll, ...asks)
  for (const args of [{ env: 'production' }, {}]) {
    const decision = set.decide(call(args))
    expect(decision.effect === 'ask' ? decision.asks.map(({ policy }) => policy) : []).toEqual(names)
  }
})
