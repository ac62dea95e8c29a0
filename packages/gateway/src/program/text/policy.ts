// `assent policy`: its help, mistakes in test cases, and a decision as text.

const count = (number: number, one: string, many = `${one}s`) => `${number} ${number === 1 ? one : many}`

const codes = (ok: string, problem: string, cannotRun?: string) => `
Exit codes:
  0  ${ok}
  1  ${problem}
  2  the command line is invalid${cannotRun === undefined ? '' : `\n  3  ${cannotRun}`}`

export const policyHelp = {
  summary: 'check policies, explain a decision, run test cases',
  description: 'Checks policies, explains what they decide about a call, and runs test cases.',
  check: {
    file: 'the configuration, YAML or JSON',
    live: 'also compare with the tools of the servers',
    summary: 'list all mistakes in policies',
    description:
      'Reads the policies of a configuration and its Cedar files and reports every mistake with its line, its column and a correction: unknown settings, groups and servers, Cedar that does not parse, requirements that cannot be met.\n\nWith --live it connects to every server, as `assent servers` does, and compares the policies with the tools: arguments that no tool has, policies that match no tool, tools that no policy allows.',
    after: codes('no mistakes; there may be warnings', 'a mistake was found, or a server cannot be used'),
  },
  explain: {
    tool: 'explain a call of this tool',
    prompt: 'explain a request for this prompt',
    resource: 'explain a read of this resource',
    args: 'the arguments of the call, as a JSON object',
    person: 'the person who calls, by subject',
    groups: "the person's groups at the issuer, with commas",
    roles: "the person's roles, with commas",
    address: 'the address that the call comes from (default: 127.0.0.1)',
    definitionChanged: 'the definition of the tool changed and is not accepted',
    at: 'the time of the call, such as 2026-11-17T22:00:00Z (default: now)',
    live: "connect to the servers for the tool's annotations and input schema",
    summary: 'print policies as Cedar, or explain the decision about one call',
    description:
      'Without a call, prints every policy as Cedar text. With --tool, --prompt or --resource, prints what is decided about that call, by which policies, and who must approve it. Nothing is called.',
    after: codes('printed', 'the configuration has a mistake'),
  },
  test: {
    cases: 'the test cases, YAML or JSON',
    recorded: 'instead of test cases: the recorded calls of this time, such as 7d',
    live: "with --recorded: connect to the servers for the tools' annotations and input schemas",
    summary: 'run test cases, or recorded calls, against the policies',
    description:
      'Decides every call of a file of test cases with the policies of a configuration and compares the decision with the expected one. Nothing is called. Without --live, no server is started.\n\nA case: { name: staging, tool: deploy/rollout, arguments: { env: staging }, person: ann, groups: [engineers], expect: allow }. Optional: prompt or resource instead of tool; annotations and schema of the tool; definition_changed: true; roles; address; at, the time of the call; policies, the names of the policies that decide; approvers, such as [group:release-managers].\n\nWith --recorded, decides the calls that a gateway recorded (`record: calls`) and reports which decisions would change, and for each policy how many calls it decides. Calls whose decision depends on something that is not recorded are not evaluated, and counted with the reason: arguments need `record_arguments: true`, annotations and input schemas need --live.',
    after: codes(
      'every case passes; no decision about a recorded call would change',
      'a case fails, a decision would change, no recorded call could be evaluated, or a file has a mistake',
      'with --recorded: the store cannot be reached',
    ),
  },
}

export const policyCheckText = {
  noPolicies: (file: string) => `${file}: no policies. Every call is allowed.`,
  policiesNeeded: (file: string) => `${file}: there are no policies.`,
  mistakes: (number: number, file: string) => `${count(number, 'mistake')} in the policies of ${file}.`,
  result: (file: string, policies: number, errors: number, warnings: number) =>
    `${file}: ${count(policies, 'policy', 'policies')}, ${count(errors, 'mistake')}, ${count(warnings, 'warning')}.`,
}

/** Mistakes in a file of test cases, and in the options of `explain`. */
export const policyCallText = {
  target: 'must be server/name, such as deploy/rollout',
  withServer: (target: string) => `Did you mean ${target}?`,
  unknownServer: (server: string) => `names the server ${server}, which is not in servers`,
  servers: (names: readonly string[]) => `The servers are ${names.join(', ')}.`,
  didYouMean: (name: string) => `Did you mean ${name}?`,
  notAList: 'The file must be a list of cases.',
  beginEach: 'Begin each case with "- ".',
  notAMap: 'must be a map',
  mapExample: (name: string) => `For example: ${name}: { env: production }`,
  caseExample: 'For example: - { tool: deploy/rollout, expect: ask }',
  notAText: 'must be one value',
  remove: (name: string) => `Write one value after ${name}, or remove it.`,
  hints: (names: readonly string[]) => `The annotations are ${names.join(', ')}.`,
  notAPolicy: (name: string) => `names the policy "${name}", which does not exist`,
  policies: (names: readonly string[]) => `The policies are ${names.map((name) => `"${name}"`).join(', ')}.`,
  meantPolicy: (name: string) => `Did you mean "${name}"?`,
  notAnApprover: 'must be group:<name at the issuer> or person:<subject>',
  membersOf: (members: readonly string[]) => `Write its members: ${members.join(', ')}.`,
  approverExample: 'For example: group:release-managers',
  members: (names: readonly string[]) => `There are ${names.join(', ')}.`,
  meantMember: (name: string) => `Did you mean \`${name}\`?`,
  effect: 'must be allow, deny or ask',
  oneTarget: 'needs one of tool, prompt and resource',
  targetExample: 'For example: tool: deploy/rollout',
  notATime: 'must be a time with its time zone',
  effectExample: 'For example: expect: ask',
  timeExample: 'For example: "2026-11-17T22:00:00Z"',
  notAnAddress: 'must be an IP address',
  addressExample: 'For example: 10.1.2.3',
  notABoolean: 'must be true or false',
  removeIt: 'Write true, or remove it.',
}

export const policyExplainText = {
  unknownTool: (target: string) => `Unknown tool ${target}.`,
  dryRun: 'The policies in dry run would have decided:',
  notLive: "Without --live, the tool's annotations and input schema are unknown: it counts as destructive.",
  oneTarget: 'Give one of --tool, --prompt and --resource.',
  invalidTarget: (target: string, problem: string, suggestion: string | undefined) =>
    `${target} ${problem}. ${suggestion ?? ''}`.trimEnd(),
  address: '--address must be an IP address, such as 10.1.2.3.',
  at: '--at must be a time with its time zone, such as 2026-11-17T22:00:00Z.',
  args: '--args must be a JSON object, such as {"env":"production"}.',
  argsProblem: (problem: string) => `--args: ${problem}`,
}

export const policyTestText = {
  effect: (expected: string, found: string) => `expected ${expected}, but the decision is ${found}`,
  list: (what: string, expected: string, found: string) => `expected the ${what} ${expected}, but they are ${found}`,
  listed: (names: readonly string[]) => (names.length === 0 ? '(none)' : names.map((name) => `"${name}"`).join(', ')),
  passed: (passed: number, all: number) => `${passed} of ${all} ${all === 1 ? 'case passes' : 'cases pass'}.`,
}

const effects = { allow: 'allowed', deny: 'denied', ask: 'needs approval' }
const verbs = { allow: 'allows', deny: 'denies', ask: 'asks' }

export const decisionText = {
  decided: (target: string, principal: string, effect: keyof typeof effects) =>
    `${target} by ${principal}: ${effects[effect]}.`,
  policy: (name: string, place: string, effect: keyof typeof verbs, isFailed: boolean) =>
    `  "${name}" (${place}) ${verbs[effect]}${isFailed ? ', because it cannot be evaluated for these arguments' : ''}`,
  failed: (policy: string, message: string) =>
    `  ${policy === '' ? 'It' : `"${policy}"`} cannot be evaluated: ${message}`,
  definitionChanged: '  The definition of the tool changed and is not accepted.',
  notAllowed: '  No policy allows it.',
  notCovered: (kind: string) => `  No policy is about ${kind}.`,
  approvals: 'Approvals that are needed:',
  within: (duration: string) => `within ${duration}`,
  useWithin: (duration: string) => `to be used within ${duration}`,
  declines: (declines: number) => `${declines} declines end it`,
  presence: 'with a passkey',
  reason: 'with a reason',
  destructive: 'as something destructive',
  alsoInClient: 'also in the client',
}
