// `assent policy`: its checks, explanations and test cases.

import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aFolder, aProcessOf, assentHere } from './process.suite.ts'

const servers = `servers:
  deploy: { command: my-server }
  files: { command: my-server }
asks: { surfaces: [client, inbox] }
`
const rules = `groups:
  release: [group:release-managers, person:ann]
policies:
  - name: production deploys
    tools: [deploy/rollout]
    when: { env: production }
    ask: { from: release, approvals: 2, exclude: requester, within: 30m }
  - { name: no debugging, tools: "*/debug_*", deny: true }
  - { name: trial, tools: "files/*", deny: true, mode: dry-run }
  - { name: everything else, tools: "*", allow: true }
`

async function run(words: readonly string[], files: Record<string, string>) {
  const folder = await aFolder({ 'assent.yaml': `${servers}${rules}`, ...files })
  const paths = words.map((word) => (word in files || word === 'assent.yaml' ? join(folder, word) : word))
  const { code, out, err } = await assentHere(paths)
  const plain = (text: string) => text.replaceAll(`${folder}/`, '')
  return { code, out: plain(out), err: plain(err) }
}

test('[POLICY-15] check reports valid policies', async () => {
  expect(await run(['policy', 'check', 'assent.yaml'], {})).toEqual({
    code: 0,
    err: '',
    out: 'ok assent.yaml: 4 policies, 0 mistakes, 0 warnings.\n',
  })
  expect(await run(['policy', 'check', 'none.yaml'], { 'none.yaml': servers })).toMatchObject({
    code: 0,
    out: 'ok none.yaml: no policies. Every call is allowed.\n',
  })
})

test('[POLICY-15] check warns about requirements that cannot be met and calls that no policy permits', async () => {
  const { code, err } = await run(['policy', 'check', 'with.yaml'], {
    'with.yaml': `${servers}groups: { release: [person:ann] }\npolicies: { cedar: a.cedar }\n`,
    'a.cedar':
      '@id("two") @ask("2 of release") permit(principal, action == Action::"tools/call", resource);\n@id("no") forbid(principal, action == Action::"prompts/get", resource);',
  })
  expect(code).toBe(0)
  expect(err.trimEnd().split('\n')).toEqual([
    'warning a.cedar:1:1: What "two" asks about can never be approved, so every such call is refused: There are fewer approvers than approvals needed. Name other approvers, such as a group at the issuer, require fewer approvals, or exclude fewer people.',
    'warning a.cedar:2:1: Policies are about prompts, and none of them allows or asks: all prompts are denied. To allow the others, add: { name: other prompts, prompts: "*", allow: true }',
  ])
})

test('[POLICY-16] explain prints every policy as Cedar text', async () => {
  const { code, out } = await run(['policy', 'explain', '--config', 'assent.yaml'], {})
  expect(code).toBe(0)
  expect(out).toContain('// assent.yaml:8:5\n@ask("2 of release")')
  expect(out).toMatch(/context\.args\.env like "production"/)
  expect(out).toContain('forbid (')
})

test('[POLICY-16] explain prints the decision about a call and who must approve it', async () => {
  const explain = (...words: string[]) => run(['policy', 'explain', '--config', 'assent.yaml', ...words], {})
  expect((await explain('--tool', 'deploy/rollout', '--args', '{"env":"production"}', '--person', 'zoe')).out).toBe(
    `deploy/rollout by zoe: needs approval.
  "production deploys" (assent.yaml:8:5) asks
  "everything else" (assent.yaml:14:5) allows
Approvals that are needed:
  2 approvals from release-managers or ann (not from zoe); within 30m
Without --live, the tool's annotations and input schema are unknown: it counts as destructive.
`,
  )
  expect((await explain('--tool', 'deploy/rollout')).out).toContain(
    '"production deploys" (assent.yaml:8:5) asks, because it cannot be evaluated for these arguments',
  )
  expect((await explain('--tool', 'files/debug_all')).out).toContain('files/debug_all by local: denied.')
  expect((await explain('--tool', 'files/read')).out).toContain('The policies in dry run would have decided:')
  expect(await explain('--tool', 'deplay/rollout')).toMatchObject({
    code: 2,
    err: 'error deplay/rollout names the server deplay, which is not in servers. Did you mean deploy?\n',
  })
  expect(await explain('--tool', 'deploy/rollout', '--args', '[1]')).toMatchObject({ code: 2 })
  expect(await explain('--tool', 'deploy/rollout', '--address', '10.1.2')).toMatchObject({ code: 2 })
  const changed = await explain('--tool', 'files/read', '--person', 'zoe', '--definition-changed')
  expect(changed.out).toContain('files/read by zoe: needs approval.')
  expect(changed.out).toContain('The definition of the tool changed and is not accepted.')
  expect(changed.out).toContain('1 approval from zoe')
})

test('[POLICY-17] test compares decisions, policies and approvers with the expected ones', async () => {
  const cases = `
- { name: staging, tool: deploy/rollout, arguments: { env: staging }, expect: allow, policies: [everything else] }
- name: production
  tool: deploy/rollout
  arguments: { env: production }
  person: zoe
  expect: ask
  policies: [production deploys, everything else]
  approvers: [group:release-managers, person:ann]
- { name: debugging, tool: files/debug_all, expect: allow }
- { name: approvers, tool: deploy/rollout, arguments: { env: production }, expect: ask, approvers: [person:bob] }
`
  const { code, out } = await run(['policy', 'test', 'cases.yaml', '--config', 'assent.yaml'], { 'cases.yaml': cases })
  expect(code).toBe(1)
  expect(out).toBe(`ok    staging
ok    production
error cases.yaml:10:3: debugging: expected allow, but the decision is deny.
      files/debug_all by local: denied.
        "no debugging" (assent.yaml:12:5) denies
error cases.yaml:11:3: approvers: expected the approvers "person:bob", but they are "group:release-managers", "person:ann".
      deploy/rollout by local: needs approval.
        "production deploys" (assent.yaml:8:5) asks
        "everything else" (assent.yaml:14:5) allows
      Approvals that are needed:
        2 approvals from release-managers or ann (not from local); within 30m
2 of 4 cases pass.
`)
})

test('[POLICY-17] test cases can have roles, an address and a changed definition', async () => {
  const cedar = `@id("all") permit (principal, action, resource);
@id("role") forbid (principal, action, resource) unless { principal.roles.contains("deployer") };
@id("inside") forbid (principal, action, resource) unless { context.address.isInRange(ip("10.0.0.0/8")) };`
  const config = `${servers}policies: { cedar: ./a.cedar }\n`
  const cases = `
- { name: inside, tool: deploy/rollout, roles: [deployer], address: 10.1.2.3, expect: allow }
- { name: without the role, tool: deploy/rollout, address: 10.1.2.3, expect: deny, policies: [role] }
- { name: outside, tool: deploy/rollout, roles: [deployer], expect: deny, policies: [inside] }
- { name: changed, tool: deploy/rollout, roles: [deployer], address: 10.1.2.3, definition_changed: true, person: zoe, expect: ask, approvers: [person:zoe] }
`
  const files = { 'cases.yaml': cases, 'with.yaml': config, 'a.cedar': cedar }
  expect(await run(['policy', 'test', 'cases.yaml', '--config', 'with.yaml'], files)).toMatchObject({ code: 0 })
  expect(await run(['policy', 'check', 'with.yaml'], files)).toMatchObject({ code: 0 })
})

test('[POLICY-17] mistakes in test cases are reported with their places', async () => {
  const cases = `
- { tool: deploy/rollout, expect: alow }
- { tool: deploy/rollout, expct: allow, expect: deny }
- { expect: deny }
- { tool: nowhere/x, expect: deny, at: yesterday }
- { tool: deploy/rollout, expect: deny, address: here, definition_changed: maybe }
`
  const { code, err } = await run(['policy', 'test', 'cases.yaml', '--config', 'assent.yaml'], { 'cases.yaml': cases })
  expect(code).toBe(1)
  expect(err.trimEnd().split('\n')).toEqual([
    'error cases.yaml:2:35: 1.expect must be allow, deny or ask. Did you mean allow?',
    'error cases.yaml:3:27: Unknown setting `2.expct`. Did you mean `expect`?',
    'error cases.yaml:4:3: 3 needs one of tool, prompt and resource. For example: tool: deploy/rollout',
    'error cases.yaml:5:11: 4.tool names the server nowhere, which is not in servers. The servers are deploy, files.',
    'error cases.yaml:5:40: 4.at must be a time with its time zone. For example: "2026-11-17T22:00:00Z"',
    'error cases.yaml:6:50: 5.address must be an IP address. For example: 10.1.2.3',
    'error cases.yaml:6:76: 5.definition_changed must be true or false. Write true, or remove it.',
  ])
})

test('[POLICY-15] with --live, arguments and tools are compared with those of the servers', async () => {
  const config = `servers:
  deploy: ${aProcessOf('2026-07-28')}
asks: { surfaces: [client, inbox] }
policies:
  - { name: typo, tools: deploy/aks, allow: true }
  - { name: argument, tools: "deploy/*", when: { timeoutMS: 1 }, deny: true }
`
  const { code, err, out } = await run(['policy', 'check', '--live', 'live.yaml'], { 'live.yaml': config })
  expect({ code, out }).toEqual({ code: 0, out: 'ok live.yaml: 2 policies, 0 mistakes, 2 warnings.\n' })
  expect(err.trimEnd().split('\n')).toEqual([
    'warning live.yaml:5:5: The policy "typo" matches no tool of the servers. Did you mean deploy/ask?',
    'warning live.yaml:6:5: The policy "argument" compares the argument timeoutMS, which no tool that it covers declares: it denies every call there. Did you mean timeoutMs?',
  ])
  const explained = ['policy', 'explain', '--live', '--tool', 'deploy/ask', '--config', 'live.yaml']
  expect(await run(explained, { 'live.yaml': config })).toMatchObject({ code: 0, err: '' })
  const unknown = ['policy', 'explain', '--live', '--tool', 'deploy/asked', '--config', 'live.yaml']
  expect(await run(unknown, { 'live.yaml': config })).toMatchObject({
    code: 1,
    err: 'error Unknown tool deploy/asked.\n',
  })
})
