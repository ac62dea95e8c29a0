import { expect, test } from 'vitest'
import { bare, configOf, mistakes } from './read-config.suite.ts'
import { readConfig } from './read-config.ts'

const base = `servers:
  deploy: { command: my-server }
  files: { command: my-server }
asks: { surfaces: [client, inbox] }
groups:
  release: [group:release-managers, person:ann]
  security: group:security
`
/** The policy begins in line 9, column 5. */
const withPolicy = (...lines: string[]) => `${base}policies:\n  - ${lines.join('\n    ')}\n`
const named = 'name: production deploys'
const tools = 'tools: [deploy/rollout]'

test('[POLICY-14] policies in short form are read with their places', () => {
  const { policies } = configOf(`${base}policies:
  - name: production deploys
    tools: [deploy/rollout, "files/*"]
    people: [release, group:engineers]
    when: { env: production, region: [eu, us], pay.amount: { above: 100.5, at_most: 200 }, dry: false, branch: { not: { like: "feature/*" } }, tags: { contains: live }, replicas: [1, 2] }
    outside: mon-fri 09:00-17:30
    ask: { from: release, approvals: 2, exclude: requester, within: 30m, use_within: 10m, declines: 2, presence: required, reason: required, risk: destructive, surfaces: [inbox, client] }
  - { name: destructive, annotations: { destructive: true, read_only: false }, ask: { from: requester } }
  - { name: pages, resources: "file:///etc/*", deny: true, mode: dry-run }
`)
  expect(policies).toMatchObject({
    groups: { release: ['group:release-managers', 'person:ann'], security: ['group:security'] },
    timeZone: 'UTC',
    owners: [],
    pinsDescriptions: false,
    cedarFiles: [],
  })
  expect(policies?.shortForm).toEqual([
    {
      place: { line: 9, column: 5 },
      policy: {
        name: 'production deploys',
        kind: 'tools',
        targets: ['deploy/rollout', 'files/*'],
        people: ['release', 'group:engineers'],
        annotations: {},
        when: [
          { path: ['env'], comparison: { is: 'text', anyOf: ['production'] } },
          { path: ['region'], comparison: { is: 'text', anyOf: ['eu', 'us'] } },
          { path: ['pay', 'amount'], comparison: { is: 'above', number: 100.5 } },
          { path: ['pay', 'amount'], comparison: { is: 'atMost', number: 200 } },
          { path: ['dry'], comparison: { is: 'flag', value: false } },
          { path: ['branch'], comparison: { is: 'pattern', anyOf: ['feature/*'] }, isNegated: true },
          { path: ['tags'], comparison: { is: 'contains', text: 'live' } },
          { path: ['replicas'], comparison: { is: 'equal', anyOf: [1, 2] } },
        ],
        outside: { days: [1, 2, 3, 4, 5], fromMinute: 540, toMinute: 1050 },
        effect: {
          ask: {
            ask: '2 of release',
            exclude: 'requester',
            declines: '2',
            within: '30m',
            use_within: '10m',
            presence: 'required',
            reason: 'required',
            risk: 'destructive',
            surfaces: 'inbox, client',
          },
        },
        isDryRun: false,
      },
    },
    {
      place: { line: 15, column: 5 },
      policy: {
        name: 'destructive',
        kind: 'tools',
        targets: ['*'],
        people: [],
        annotations: { destructive: true, readOnly: false },
        when: [],
        effect: { ask: { ask: 'requester' } },
        isDryRun: false,
      },
    },
    {
      place: { line: 16, column: 5 },
      policy: {
        name: 'pages',
        kind: 'resources',
        targets: ['file:///etc/*'],
        people: [],
        annotations: {},
        when: [],
        effect: 'deny',
        isDryRun: true,
      },
    },
  ])
})

test('[POLICY-14] alternatives and several factors', () => {
  const askOf = (ask: string) => configOf(withPolicy(named, tools, `ask: ${ask}`)).policies?.shortForm[0]?.policy.effect
  expect(askOf('{ from: [release, person:zoe], approvals: 2 }')).toEqual({ ask: { ask: '2 of release, person:zoe' } })
  expect(askOf('{ all_of: [{ from: release, approvals: 2 }, { from: security }] }')).toEqual({
    ask: { ask: '2 of release & security' },
  })
  expect(askOf('{ any_of: [{ from: release }, { all_of: [{ from: security }, { from: requester }] }] }')).toEqual({
    ask: { ask: 'release | security & requester' },
  })
})

test('[POLICY-14] a map has the rules and the other settings; Cedar files are read from a folder', () => {
  const text = `${base}policies:
  rules: [{ name: all, tools: "*", allow: true }]
  cedar: ./policies
  owners: release
  time_zone: Europe/Berlin
  pin_descriptions: true
`
  const files = [{ file: 'policies/a.cedar', text: 'permit(principal, action, resource);' }]
  const readCedar = (path: string) =>
    path === './policies' ? ({ ok: true, files } as const) : ({ ok: false, reason: 'the file does not exist' } as const)
  expect(configOf(text, { ...bare, readCedar }).policies).toMatchObject({
    cedarFiles: files,
    owners: ['release'],
    timeZone: 'Europe/Berlin',
    pinsDescriptions: true,
    shortForm: [{ policy: { name: 'all' } }],
  })
  expect(mistakes(text.replace('./policies', './police'), { ...bare, readCedar })).toEqual([
    'f:10:10: policies.cedar names ./police, which cannot be read: the file does not exist. The path is relative to the configuration.',
  ])
})

test('[POLICY-63] owners are known groups or people, and need the inbox', () => {
  const withOwners = (owners: string) =>
    `${base}policies: { rules: [{ name: all, tools: "*", allow: true }], owners: ${owners} }`
  expect(mistakes(withOwners('[group:ops, person:zoe, security]'))).toEqual([])
  expect(mistakes(withOwners('relese'))[0]).toContain('policies.owners names the group relese, which is not in groups')
  expect(mistakes(withOwners('requester'))[0]).toContain('policies.owners cannot be requester')
  expect(mistakes(withOwners('release').replace('client, inbox', 'client'))[0]).toContain(
    'policies.owners needs the inbox, where owners accept',
  )
})

test('[POLICY-14] without a policy there are no policies', () => {
  expect(configOf(base).policies).toBeUndefined()
  expect(configOf(`${base}policies: []`).policies).toBeUndefined()
  expect(configOf(`${base}policies: {}`).policies).toBeUndefined()
})

test.each<[what: string, text: string, message: string]>([
  [
    'a misspelt setting',
    withPolicy(named, tools, 'alow: true'),
    'f:11:5: Unknown setting `policies.1.alow`. Did you mean `allow`?',
  ],
  [
    'a misspelt term',
    withPolicy(named, tools, 'ask: { from: release, aproval: 2 }'),
    'f:11:27: Unknown setting `policies.1.ask.aproval`. Did you mean `approvals`?',
  ],
  [
    'no name',
    withPolicy(tools, 'allow: true'),
    'f:9:5: policies.1.name is required. It must be a text of at most 100 characters.',
  ],
  ['no effect', withPolicy(named, tools), 'f:9:5: policies.1 needs allow or deny or ask. Write one of them.'],
  [
    'two effects',
    withPolicy(named, tools, 'allow: true', 'deny: true'),
    'f:9:5: policies.1 has allow and deny: only one is allowed. Remove one of them.',
  ],
  [
    'an effect that is switched off',
    withPolicy(named, tools, 'deny: false'),
    'f:11:11: policies.1.deny must be true. Remove it.',
  ],
  [
    'nothing that it is about',
    withPolicy(named, 'allow: true'),
    'f:9:5: policies.1 needs tools, prompts, resources or annotations. For all tools, write: tools: ["*"]',
  ],
  [
    'two kinds',
    withPolicy(named, tools, 'prompts: "*"', 'allow: true'),
    'f:9:5: policies.1 has tools and prompts: only one is allowed. Write one policy for each.',
  ],
  [
    'an unknown server',
    withPolicy(named, 'tools: [deplay/rollout]', 'allow: true'),
    'f:10:12: policies.1.tools names the server deplay, which is not in servers. Did you mean deploy?',
  ],
  [
    'an unknown group',
    withPolicy(named, tools, 'ask: { from: relaese }'),
    'f:11:18: policies.1.ask.from names the group relaese, which is not in groups. Did you mean release?',
  ],
  [
    'no approvers',
    withPolicy(named, tools, 'ask: { approvals: 2 }'),
    'f:11:10: policies.1.ask needs from. For example: from: requester',
  ],
  [
    'too many approvals',
    withPolicy(named, tools, 'ask: { from: release, approvals: 20 }'),
    'f:11:38: policies.1.ask.approvals must be a whole number from 1 to 16.',
  ],
  [
    'a duration without a unit',
    withPolicy(named, tools, 'ask: { from: release, within: 30 }'),
    'f:11:35: policies.1.ask.within has no unit: it must be a duration from 1s to 14d, such as 10m or 300ms.',
  ],
  [
    'a time to decide after the question has expired',
    withPolicy(named, tools, 'ask: { from: release, within: 25h }'),
    'f:11:35: policies.1.ask.within is longer than 1d, the limit without asks.wait. Set asks.wait to 25h, or shorten it.',
  ],
  [
    'an excluded group',
    withPolicy(named, tools, 'ask: { from: release, exclude: security }'),
    'f:11:36: policies.1.ask.exclude must be requester or person:<subject>. A group cannot be excluded: name its people, or leave it out of from.',
  ],
  [
    'a misspelt surface',
    withPolicy(named, tools, 'ask: { from: release, surfaces: [inbx] }'),
    'f:11:38: policies.1.ask.surfaces.1 must be one of inbox, client. Did you mean inbox?',
  ],
  [
    'an unclear presence',
    withPolicy(named, tools, 'ask: { from: release, presence: yes }'),
    'f:11:37: policies.1.ask.presence must be required. Write that, or remove it.',
  ],
  [
    'a misspelt comparison',
    withPolicy(named, tools, 'when: { amount: { abov: 5 } }', 'deny: true'),
    'f:11:23: Unknown setting `policies.1.when.amount.abov`. Did you mean `above`?',
  ],
  [
    'a bound that is text',
    withPolicy(named, tools, 'when: { amount: { above: "5" } }', 'deny: true'),
    'f:11:30: policies.1.when.amount.above must be a number. Write digits without quotes.',
  ],
  [
    'a number with too many places',
    withPolicy(named, tools, 'when: { amount: 0.00001 }', 'deny: true'),
    'f:11:21: policies.1.when.amount must be a number below 100 billion with at most four decimal places. Did you mean 0?',
  ],
  [
    'a list of texts and numbers',
    withPolicy(named, tools, 'when: { env: [1, a] }', 'deny: true'),
    'f:11:18: policies.1.when.env must be texts only or numbers only. Put texts in quotes.',
  ],
  [
    'an empty list',
    withPolicy(named, tools, 'when: { env: [] }', 'deny: true'),
    'f:11:18: policies.1.when.env must not be empty. Remove it, or write a value.',
  ],
  [
    'conditions on a resource',
    withPolicy(named, 'resources: "*"', 'when: { env: a }', 'deny: true'),
    'f:11:11: policies.1.when has no effect: a resource has no arguments. Remove it.',
  ],
  [
    'an unknown annotation',
    withPolicy(named, 'annotations: { destuctive: true }', 'deny: true'),
    'f:10:20: Unknown setting `policies.1.annotations.destuctive`. Did you mean `destructive`?',
  ],
  [
    'an unknown mode',
    withPolicy(named, tools, 'deny: true', 'mode: dryrun'),
    'f:12:11: policies.1.mode must be one of enforce, dry-run. Did you mean dry-run?',
  ],
  [
    'hours that are not hours',
    withPolicy(named, tools, 'deny: true', 'outside: mo-fri 09:00-17:00'),
    'f:12:14: policies.1.outside must be days and hours, such as mon-fri 09:00-17:00. Did you mean mon?',
  ],
  [
    'a name that is used twice',
    `${withPolicy(named, tools, 'allow: true')}  - { ${named}, tools: "*", deny: true }`,
    'f:12:13: policies.2.name is also the name of policies.1. Give it another name than "production deploys".',
  ],
  [
    'an unknown time zone',
    `${base}policies: { time_zone: Berlin, rules: [] }`,
    'f:8:24: policies.time_zone is not the name of a time zone. Did you mean Europe/Berlin?',
  ],
  [
    'a member that is neither group nor person',
    `${base.replace('group:security', 'security')}`,
    'f:7:13: groups.security must be group:<name of the group at the issuer> or person:<subject>. Did you mean group:security?',
  ],
  [
    'policies that are no list',
    `${base}policies: all`,
    'f:8:11: policies must be a list or a map of settings. Begin each item with "- ".',
  ],
  [
    'an empty list of people, which would be everybody',
    withPolicy(named, tools, 'people: []', 'allow: true'),
    'f:11:13: policies.1.people must not be empty. Remove it, or write a value.',
  ],
  [
    'a group without members',
    `${base.replace('group:security', '[]')}`,
    'f:7:13: groups.security must not be empty. Remove it, or write a value.',
  ],
  [
    'an ask without an inbox',
    withPolicy(named, tools, 'ask: { from: release }').replace('[client, inbox]', '[client]'),
    'f:11:10: policies.1.ask needs the inbox, where people approve. Add inbox to asks.surfaces.',
  ],
])('[POLICY-14] %s is reported with its place', (_what, text, message) => {
  expect(mistakes(text)).toEqual([message])
})

test('[POLICY-14] groups without policies or without the claim of groups have a warning', () => {
  const warnings = readConfig(base, bare).warnings.map(({ path, words }) => `${path} ${words}`)
  expect(warnings).toEqual([
    'groups has no effect without policies or an entry in notify.to',
    'groups.release has a group of the issuer, but people are in no group without identity.groups_claim',
  ])
})
