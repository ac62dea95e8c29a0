// What `assent policy check` and `assent policy test` report about mistakes: each with its line and a suggestion.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aFolder, assentHere } from './process.suite.ts'

const base = `servers:
  deploy: { command: my-server }
  files: { command: my-server }
asks: { surfaces: [client, inbox] }
groups: { release: [group:release-managers, person:ann] }
`
/** The policy begins in line 7. */
const rule = (text: string) => `${base}policies:\n  - ${text}\n`
const asking = (terms: string) => rule(`{ name: deploys, tools: deploy/rollout, ask: { ${terms} } }`)
const when = (conditions: string) =>
  rule(`{ name: deploys, tools: deploy/rollout, when: { ${conditions} }, deny: true }`)

/** The lines about mistakes, without the folder. */
async function mistakesIn(words: readonly string[], files: Record<string, string>): Promise<string[]> {
  const folder = await aFolder(files)
  const { code, err } = await assentHere(words.map((word) => (word in files ? join(folder, word) : word)))
  expect(code).toBe(1)
  const lines = err.replaceAll(`${folder}/`, '').trimEnd().split('\n')
  return lines.filter((line) => line.startsWith('error'))
}

test.each<[what: string, config: string, message: string]>([
  [
    'a number with too many places',
    when('amount: { above: 99.99999 }'),
    'error assent.yaml:7:70: policies.1.when.amount.above must be a number below 100 billion with at most four decimal places. Did you mean 100?',
  ],
  [
    'an empty list',
    when('env: []'),
    'error assent.yaml:7:58: policies.1.when.env must not be empty. Remove it, or write a value.',
  ],
  [
    'a value that is null',
    when('env: null'),
    'error assent.yaml:7:58: policies.1.when.env must be a value, a list of values or a comparison. For example: env: production',
  ],
  [
    'a list where one text is needed',
    when('tags: { contains: [a, b] }'),
    'error assent.yaml:7:71: policies.1.when.tags.contains must be one text. Write one policy for each text.',
  ],
  [
    'a misspelt setting',
    rule('{ name: deploys, tols: deploy/rollout, deny: true }'),
    'error assent.yaml:7:22: Unknown setting `policies.1.tols`. Did you mean `tools`?',
  ],
  [
    'a misspelt server',
    rule('{ name: deploys, tools: deplay/rollout, deny: true }'),
    'error assent.yaml:7:29: policies.1.tools names the server deplay, which is not in servers. Did you mean deploy?',
  ],
  [
    'no effect',
    rule('{ name: deploys, tools: deploy/rollout }'),
    'error assent.yaml:7:5: policies.1 needs allow or deny or ask. Write one of them.',
  ],
  [
    'two effects',
    rule('{ name: deploys, tools: deploy/rollout, deny: true, allow: true }'),
    'error assent.yaml:7:5: policies.1 has allow and deny: only one is allowed. Remove one of them.',
  ],
  [
    'a policy for calls of the requester',
    rule('{ name: deploys, tools: deploy/rollout, people: requester, deny: true }'),
    'error assent.yaml:7:53: policies.1.people cannot be requester: the requester is the person who calls. Remove it: without people, the policy is about everybody.',
  ],
  [
    'hours without minutes',
    rule('{ name: deploys, tools: deploy/rollout, deny: true, outside: mon-fri 9-17 }'),
    'error assent.yaml:7:66: policies.1.outside must be days and hours, such as mon-fri 09:00-17:00. Did you mean mon-fri 09:00-17:00?',
  ],
  [
    'hours without days',
    rule('{ name: deploys, tools: deploy/rollout, deny: true, outside: "9:30-24:00" }'),
    'error assent.yaml:7:66: policies.1.outside must be days and hours, such as mon-fri 09:00-17:00. Did you mean mon-sun 09:30-00:00?',
  ],
  [
    'a misspelt annotation',
    rule('{ name: deploys, tools: deploy/rollout, annotations: { destuctive: true }, deny: true }'),
    'error assent.yaml:7:60: Unknown setting `policies.1.annotations.destuctive`. Did you mean `destructive`?',
  ],
  [
    'a name that is used twice',
    `${rule('{ name: deploys, tools: "*", allow: true }')}  - { name: deploys, tools: "*", deny: true }\n`,
    'error assent.yaml:8:13: policies.2.name is also the name of policies.1. Give it another name than "deploys".',
  ],
  [
    'a misspelt group',
    asking('from: relase'),
    'error assent.yaml:7:58: policies.1.ask.from names the group relase, which is not in groups. Did you mean release?',
  ],
  [
    'an unclear presence',
    asking('from: release, presence: yes'),
    'error assent.yaml:7:77: policies.1.ask.presence must be required. Write that, or remove it.',
  ],
  [
    'an excluded group',
    asking('from: release, exclude: release'),
    'error assent.yaml:7:76: policies.1.ask.exclude must be requester or person:<subject>. A group cannot be excluded: name its people, or leave it out of from.',
  ],
  [
    'a duration with a word',
    asking('from: release, within: 30 min'),
    'error assent.yaml:7:75: policies.1.ask.within must be a duration from 1s to 14d, such as 10m or 300ms. Did you mean 30m?',
  ],
  [
    'two kinds of approvers',
    asking('from: release, all_of: [{ from: requester }]'),
    'error assent.yaml:7:50: policies.1.ask has from and all_of: only one is allowed. Write each from in all_of or any_of.',
  ],
  [
    'a misspelt term',
    asking('from: release, aproval: 2'),
    'error assent.yaml:7:67: Unknown setting `policies.1.ask.aproval`. Did you mean `approvals`?',
  ],
  [
    'a city as time zone',
    `${base}policies: { time_zone: Berlin, rules: [] }\n`,
    'error assent.yaml:6:24: policies.time_zone is not the name of a time zone. Did you mean Europe/Berlin?',
  ],
  [
    'policies that are no list',
    `${base}policies: all\n`,
    'error assent.yaml:6:11: policies must be a list or a map of settings. Begin each item with "- ".',
  ],
  [
    'a folder that does not exist',
    `${base}policies: { cedar: ./police }\n`,
    'error assent.yaml:6:20: policies.cedar names ./police, which cannot be read: the file does not exist. The path is relative to the configuration.',
  ],
])('[POLICY-15] check reports %s with its line and a suggestion', async (_what, config, message) => {
  expect(await mistakesIn(['policy', 'check', 'assent.yaml'], { 'assent.yaml': config })).toEqual([message])
})

const permit = '@id("a") permit (principal, action, resource)'
test.each<[what: string, cedar: string, message: string]>([
  [
    'no name',
    'permit (principal, action, resource);',
    'error a.cedar:2:1: A policy needs a name. Write @id("…") before it.',
  ],
  [
    'a misspelt annotation',
    '@id("a") @aks("release") permit (principal, action, resource);',
    'error a.cedar:2:1: Unknown annotation @aks. Did you mean @ask?',
  ],
  [
    'a misspelt group',
    '@id("a") @ask("relase") permit (principal, action, resource);',
    'error a.cedar:2:1: @ask: There is no group "relase" in groups. Did you mean release?',
  ],
  [
    'an unknown group',
    '@id("a") @ask("ops") permit (principal, action, resource);',
    'error a.cedar:2:1: @ask: There is no group "ops" in groups. The groups are release; a group at the issuer is group:ops, and a person is person:<subject>.',
  ],
  [
    'a duration without a unit',
    '@id("a") @ask("release") @within("30") permit (principal, action, resource);',
    'error a.cedar:2:1: @within is "30". Write a duration from 1s to 14d, such as 30m.',
  ],
  [
    'an excluded group',
    '@id("a") @ask("release") @exclude("release") permit (principal, action, resource);',
    'error a.cedar:2:1: @exclude is "release". Exclude requester or person:<subject>; a group cannot be excluded.',
  ],
  [
    'a term without an ask',
    '@id("a") @reason("required") permit (principal, action, resource);',
    'error a.cedar:2:1: @reason belongs to a policy that asks. Add @ask("…"), or remove @reason.',
  ],
  [
    'a deny that asks',
    '@id("a") @ask("release") forbid (principal, action, resource);',
    'error a.cedar:2:1: A forbid denies: it cannot ask. Write permit, or remove @ask.',
  ],
  [
    'a name that is used twice',
    `${permit};\n@id("a") forbid (principal, action, resource);`,
    'error a.cedar:3:1: Another policy is called "a" (a.cedar, line 2). Give one of them another name.',
  ],
  [
    'a misspelt action',
    '@id("a") permit (principal, action == Action::"tools/cal", resource);',
    'error a.cedar:2:1: The policy "a": unrecognized action `Action::"tools/cal"`. Did you mean `Action::"tools/call"`?',
  ],
  [
    'a misspelt attribute',
    `@id("a") permit (principal, action == Action::"tools/call", resource) when { resource.destuctive };`,
    'error a.cedar:2:1: The policy "a": attribute `destuctive` on entity type `Tool` not found. Did you mean `destructive`?',
  ],
  [
    'a misspelt attribute beside an argument',
    `${permit} when { context.args.env == "x" && resource.destuctive };`,
    'error a.cedar:2:1: The policy "a": resource has no attribute `destuctive`. Did you mean destructive?',
  ],
  [
    'a comparison of different types',
    `${permit} when { context.time.hour == "9" };`,
    'error a.cedar:2:1: The types Long and String are not compatible. For policy `a`, both operands to a `==` expression must have compatible types. Types must be exactly equal to be compatible.',
  ],
  [
    'an address that is text',
    `${permit} when { context.address.isInRange("10.0.0.0/8") };`,
    'error a.cedar:2:1: The policy "a": unexpected type: expected ipaddr but saw String. Compare values of one type: ip("10.0.0.0/8") for an address, decimal("9.5") for a number with decimal places, whole numbers without quotes.',
  ],
  [
    'a number with decimal places',
    `${permit} when { context.time.hour > 9.5 };`,
    'error a.cedar:2:76: This is not valid Cedar: unexpected token `5` (expected identifier). Write a number with decimal places as decimal("9.5").',
  ],
  [
    'no semicolon',
    permit,
    'error a.cedar:2:46: This is not valid Cedar: unexpected end of input (expected `;` or identifier). End each policy with a semicolon.',
  ],
  [
    'an annotation without quotes',
    '@id(a) permit (principal, action, resource);',
    'error a.cedar:2:5: This is not valid Cedar: unexpected token `a` (expected string literal). Put the value in quotes, such as @id("production").',
  ],
  [
    'a missing comma',
    '@id("a") permit (principal, action resource);',
    'error a.cedar:2:36: This is not valid Cedar: unexpected token `resource` (expected `!=`, `)`, `,`, `:`, `<`, `<=`, `==`, `>`, `>=`, `in`, or `is`). For example: @id("staging only") forbid (principal, action, resource) unless { context.args.env == "staging" };',
  ],
  [
    'a wrong operator',
    `${permit} when { context.args.env = "x" };`,
    "error a.cedar:2:54: This is not valid Cedar: '=' is not a valid operator in Cedar. Try using '==' instead.",
  ],
])('[POLICY-15] check reports %s in Cedar with its line and a suggestion', async (_what, cedar, message) => {
  const files = { 'assent.yaml': `${base}policies: { cedar: a.cedar }\n`, 'a.cedar': `\n${cedar}` }
  expect(await mistakesIn(['policy', 'check', 'assent.yaml'], files)).toEqual([message])
})

const target = 'tool: deploy/rollout'
test.each<[what: string, cases: string, message: string]>([
  [
    'a misspelt decision',
    `- { ${target}, expect: alow }`,
    'error cases.yaml:2:35: 1.expect must be allow, deny or ask. Did you mean allow?',
  ],
  [
    'an unknown decision',
    `- { ${target}, expect: approve }`,
    'error cases.yaml:2:35: 1.expect must be allow, deny or ask. For example: expect: ask',
  ],
  [
    'a misspelt setting',
    `- { ${target}, expct: allow, expect: deny }`,
    'error cases.yaml:2:27: Unknown setting `1.expct`. Did you mean `expect`?',
  ],
  [
    'no target',
    '- { expect: deny }',
    'error cases.yaml:2:3: 1 needs one of tool, prompt and resource. For example: tool: deploy/rollout',
  ],
  [
    'a target without a server',
    '- { tool: rollout, expect: deny }',
    'error cases.yaml:2:11: 1.tool must be server/name, such as deploy/rollout. Did you mean deploy/rollout?',
  ],
  [
    'a misspelt server',
    '- { tool: deplay/rollout, expect: deny }',
    'error cases.yaml:2:11: 1.tool names the server deplay, which is not in servers. Did you mean deploy?',
  ],
  [
    'a time without a time zone',
    `- { ${target}, expect: deny, at: "2026-11-17T22:00:00" }`,
    'error cases.yaml:2:45: 1.at must be a time with its time zone. For example: "2026-11-17T22:00:00Z"',
  ],
  [
    'an invalid address',
    `- { ${target}, expect: deny, address: here }`,
    'error cases.yaml:2:50: 1.address must be an IP address. For example: 10.1.2.3',
  ],
  [
    'an unclear definition_changed',
    `- { ${target}, expect: deny, definition_changed: maybe }`,
    'error cases.yaml:2:61: 1.definition_changed must be true or false. Write true, or remove it.',
  ],
  [
    'arguments that are text',
    `- { ${target}, expect: deny, arguments: production }`,
    'error cases.yaml:2:52: 1.arguments must be a map. For example: arguments: { env: production }',
  ],
  [
    'two people',
    `- { ${target}, expect: deny, person: [ann] }`,
    'error cases.yaml:2:49: 1.person must be one value. Write one value after person, or remove it.',
  ],
  [
    'annotations with the names of policies',
    `- { ${target}, expect: deny, annotations: { destructive: true } }`,
    'error cases.yaml:2:56: Unknown setting `1.annotations.destructive`. Did you mean `destructiveHint`?',
  ],
  [
    'an annotation that is no boolean',
    `- { ${target}, expect: deny, annotations: { readOnlyHint: yes } }`,
    'error cases.yaml:2:70: 1.annotations.readOnlyHint must be true or false. Write true, or remove it.',
  ],
  [
    'an unknown policy',
    `- { ${target}, expect: ask, policies: [deploy] }`,
    'error cases.yaml:2:51: 1.policies names the policy "deploy", which does not exist. Did you mean "deploys"?',
  ],
  [
    'a group of the configuration as approver',
    `- { ${target}, expect: ask, approvers: [release] }`,
    'error cases.yaml:2:52: 1.approvers must be group:<name at the issuer> or person:<subject>. Write its members: group:release-managers, person:ann.',
  ],
  [
    'a file that is no list',
    'cases: []',
    'error cases.yaml:2:1: The file must be a list of cases. Begin each case with "- ".',
  ],
])('[POLICY-17] test reports %s with its line and a suggestion', async (_what, cases, message) => {
  const files = { 'assent.yaml': asking('from: release'), 'cases.yaml': `\n${cases}\n` }
  expect(await mistakesIn(['policy', 'test', 'cases.yaml', '--config', 'assent.yaml'], files)).toEqual([message])
})
