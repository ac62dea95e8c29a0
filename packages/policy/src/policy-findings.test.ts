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

async function findings(changes: Partial<PolicySettings>, known: readonly KnownTool[] | 'unknown' = tools) {
  const settings = { shortForm: [], cedarFiles: [], groups: {}, timeZone: 'UTC' }
  const found = await policyFindings(
    { ...settings, ...changes },
    known === 'unknown' ? { nearest } : { nearest, tools: known },
  )
  return found.map(({ level, problem, suggestion }) => `${level}: ${problem}${suggestion ? ` ${suggestion}` : ''}`)
}

test('[POLICY-21] approvers that are more than an ask can have are found', async () => {
  const people = Array.from({ length: 65 }, (_, at) => `person:p${at}`)
  const half = (from: number, to: number) => people.slice(from, to).join(', ')
  const ask = `${half(0, 33)} & ${half(33, 65)}`
  expect(await findings({ shortForm: [short(['*'], { ask: { ask } })] }, 'unknown')).toEqual([
    'warning: What "one" asks about can never be approved, so every such call is refused: An ask has at most 64 approvers. Name other approvers, such as a group at the issuer, require fewer approvals, or exclude fewer people.',
  ])
})

const allowAll = { ...short(['*'], 'allow'), policy: { ...short(['*'], 'allow').policy, name: 'all' } }
const text: Comparison = { is: 'text', anyOf: ['x'] }

test('[POLICY-15] an argument that no covered tool declares is found, with a suggestion', async () => {
  expect(await findings({ shortForm: [allowAll, short(['deploy/rollout'], 'deny', 'environment', text)] })).toEqual([
    'error: The policy "one" compares the argument environment, which no tool that it covers declares: it applies to no call. Did you mean env?',
  ])
  expect(
    await findings({ shortForm: [allowAll, short(['files/*'], { ask: { ask: 'requester' } }, 'mask', text)] }),
  ).toEqual([
    'warning: The policy "one" compares the argument mask, which no tool that it covers declares: it asks about every call there. They declare path, mode.',
  ])
  expect(await findings({ shortForm: [allowAll, short(['deploy/*'], 'deny', 'env', text)] })).toEqual([])
  expect(await findings({ shortForm: [allowAll, short(['deploy/*'], 'deny', 'nosuch', text)] }, [])).toEqual([
    'warning: The policy "all" matches no tool of the servers. Write server/name, as `assent servers` lists them.',
    'warning: The policy "one" matches no tool of the servers. Write server/name, as `assent servers` lists them.',
  ])
})

test('[POLICY-15] a comparison with another type than the declared one is found', async () => {
  expect(await findings({ shortForm: [allowAll, short(['*'], 'deny', 'replicas', text)] })).toEqual([
    'warning: The policy "one" compares the argument replicas with text, but deploy/rollout declares it as integer: it denies every call there. Compare it with a number.',
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
    'warning: No policy allows or asks about files/write: these calls are denied. To allow them, add a policy such as { name: other tools, tools: "files/write", allow: true }',
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

test('[POLICY-15] without the tools, attributes beside arguments in Cedar files are judged', async () => {
  const found = (condition: string) => {
    const text = `@id("a") permit(principal, action, resource) when { context.args.env == "x" && ${condition} };`
    return findings({ cedarFiles: [{ file: 'a.cedar', text }] }, 'unknown')
  }
  expect(await found('resource.destructive && principal.roles.contains("x") && context.time.hour < 9')).toEqual([])
  expect(await found('resource has unknown')).toEqual([])
  expect(await found('resource.destuctive')).toEqual([
    'error: The policy "a": resource has no attribute `destuctive`. Did you mean destructive?',
  ])
  expect(await found('principal.email == "x"')).toEqual([
    'error: The policy "a": principal has no attribute `email`. There are roles.',
  ])
})

test.each<[why: string, ask: Record<string, string>, problem: string]>([
  ['a group of two', { ask: '2 of group:release' }, 'the approval of the requester alone is never enough'],
  ['two groups', { ask: 'requester & group:release' }, 'the approval of the requester alone is never enough'],
  ['an excluded requester', { ask: 'group:release', exclude: 'requester' }, 'the requester is excluded'],
  ['a passkey', { ask: 'requester', presence: 'required' }, 'a passkey is needed'],
  ['a reason', { ask: 'requester', reason: 'required' }, 'a reason is needed'],
])('[POLICY-66] the surface client is reported where it has no effect: %s', async (_, ask, problem) => {
  const found = await findings({
    shortForm: [allowAll, short(['*'], { ask: { ...ask, surfaces: 'client, inbox' } } as never)],
  })
  expect(found).toEqual([
    expect.stringMatching(
      `^warning: The surface client in "one" has no effect, so the inbox asks: ${problem}\\. .*or remove client from surfaces\\.$`,
    ),
  ])
})

test.each([{ ask: 'requester' }, { ask: 'group:release' }, { ask: '2 of group:release | requester' }])(
  '[POLICY-66] the surface client is not reported where the requester can be enough: %o',
  async (ask) => {
    expect(await findings({ shortForm: [allowAll, short(['*'], { ask: { ...ask, surfaces: 'client' } })] })).toEqual([])
  },
)
