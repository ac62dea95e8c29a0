import type { JsonObject } from '@assent/core'
import { expect, test } from 'vitest'
import type { KnownTool } from './finding.ts'
import type { PolicySettings } from './policies.ts'
import { policyFindings } from './policy-findings.ts'
import type { Comparison, ShortPolicy } from './short-form.ts'

const place = { line: 1, column: 1 }
const closed = (properties: JsonObject): JsonObject => ({ type: 'object', properties, additionalProperties: false })
const tools: KnownTool[] = [
  {
    kind: 'tools',
    server: 'deploy',
    name: 'rollout',
    schema: closed({ env: { type: 'string' }, replicas: { type: 'integer' }, cost: { type: 'number' } }),
  },
  { kind: 'tools', server: 'deploy', name: 'status', schema: closed({ id: { type: 'string' } }) },
  {
    kind: 'tools',
    server: 'files',
    name: 'write',
    schema: { type: 'object', properties: { path: { type: 'string' }, mode: { type: ['string', 'integer'] } } },
    annotations: { readOnlyHint: true },
  },
]
const nearest = (name: string, known: readonly string[]) => known.find((one) => one.startsWith(name.slice(0, 2)))

const short = (targets: readonly string[], effect: ShortPolicy['effect'], path?: string, comparison?: Comparison) => ({
  place,
  policy: {
    name: 'one',
    kind: 'tools',
    targets,
    people: [],
    annotations: {},
    when: path === undefined || comparison === undefined ? [] : [{ path: path.split('.'), comparison }],
    effect,
    isDryRun: false,
  } satisfies ShortPolicy,
})

async function findings(changes: Partial<PolicySettings>, known: readonly KnownTool[] = tools) {
  const settings = { shortForm: [], cedarFiles: [], groups: {}, timeZone: 'UTC' }
  const found = await policyFindings({ ...settings, ...changes }, { nearest, tools: known })
  return found.map(({ level, problem, suggestion }) => `${level}: ${problem}${suggestion ? ` ${suggestion}` : ''}`)
}

const allowAll = { ...short(['*'], 'allow'), policy: { ...short(['*'], 'allow').policy, name: 'all' } }
const text: Comparison = { is: 'text', anyOf: ['x'] }

test('[POLICY-15] an argument that no covered tool declares is found, with a suggestion', async () => {
  expect(await findings({ shortForm: [allowAll, short(['deploy/rollout'], 'deny', 'environment', text)] })).toEqual([
    'error: The policy "one" compares the argument environment, which no tool that it covers declares: it applies to no call. Did you mean env?',
  ])
  expect(
    await findings({ shortForm: [allowAll, short(['files/*'], { ask: { ask: 'requester' } }, 'mask', text)] }),
  ).toEqual([
    'warning: The policy "one" compares the argument mask, which no tool that it covers declares: it asks about every call there.',
  ])
  expect(await findings({ shortForm: [allowAll, short(['deploy/*'], 'deny', 'env', text)] })).toEqual([])
  expect(await findings({ shortForm: [allowAll, short(['deploy/*'], 'deny', 'nosuch', text)] }, [])).toEqual([
    'warning: The policy "all" matches no tool of the servers.',
    'warning: The policy "one" matches no tool of the servers.',
  ])
})

test('[POLICY-15] a comparison with another type than the declared one is found', async () => {
  expect(await findings({ shortForm: [allowAll, short(['*'], 'deny', 'replicas', text)] })).toEqual([
    'warning: The policy "one" compares the argument replicas with text, but deploy/rollout declares it as integer: it denies every call there.',
  ])
  for (const comparison of [text, { is: 'above', number: 1 } as const]) {
    expect(await findings({ shortForm: [allowAll, short(['files/*'], 'deny', 'mode', comparison)] })).toEqual([])
  }
  expect(await findings({ shortForm: [allowAll, short(['*'], 'deny', 'cost', { is: 'above', number: 1 })] })).toEqual(
    [],
  )
})

test('[POLICY-15] policies that match no tool and tools that no policy permits are found', async () => {
  expect(await findings({ shortForm: [short(['deploy/rolout'], 'allow')] })).toEqual([
    'warning: The policy "one" matches no tool of the servers. Did you mean deploy/rollout?',
  ])
  expect(await findings({ shortForm: [short(['deploy/*'], 'allow')] })).toEqual([
    'warning: No policy allows or asks about files/write: these calls are denied.',
  ])
  expect(await findings({ shortForm: [short(['deploy/*'], 'deny')] }, [])).toContain(
    'warning: Policies are about tools, and none of them allows or asks: all tools are denied. To allow the others, add: { name: other tools, tools: "*", allow: true }',
  )
})

test.each<[what: string, condition: string, message: RegExp | undefined]>([
  [
    'an argument that no tool has',
    'context.args.environment == "x"',
    /attribute `args\.environment` not found\. Did you mean `env`\?$/,
  ],
  ['a text', 'context.args.env == "x"', undefined],
  ['a whole number compared with text', 'context.args.replicas == "x"', /not compatible/],
  ['a decimal compared as a whole number', 'context.args.cost > 5', /expected.*Long/s],
  ['a decimal', 'context.args.cost.greaterThan(decimal("5.0"))', undefined],
  ['an argument of several types', 'context.args.mode == "x"', undefined],
  ['an optional claim without a test', 'context.claims.agent == "x"', /optional/],
])('[POLICY-15] Cedar files are validated with the schemas of the tools: %s', async (_what, condition, message) => {
  const file = { file: 'a.cedar', text: `@id("a") permit(principal, action, resource) when { ${condition} };` }
  const found = await findings({ cedarFiles: [file], shortForm: [allowAll] })
  if (message === undefined) expect(found).toEqual([])
  else expect(found).toEqual([expect.stringMatching(message)])
})

test('[POLICY-15] without the tools, arguments in Cedar files are not judged', async () => {
  const file = {
    file: 'a.cedar',
    text: '@id("a") permit(principal, action, resource) when { context.args.nosuch == "x" };',
  }
  const settings = { shortForm: [], groups: {}, timeZone: 'UTC' }
  expect(await policyFindings({ ...settings, cedarFiles: [file] }, { nearest })).toEqual([])
})
