// Implements `assent policy test`.

import { readFileSync } from 'node:fs'
import { changedDefinitionPolicy, type Policies, type PolicyDecision, principalNamed } from '@assent/policy'
import { reasonOf } from '../call/model.ts'
import { problemText } from '../config/problem.ts'
import { safeLine } from '../inbox/terminal/safe-json.ts'
import type { FoundConfig } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { describedPolicyCall } from './policy-call.ts'
import { type PolicyCase, readCases } from './policy-cases.ts'
import { openPolicies } from './policy-check.ts'
import { decisionLines } from './policy-words.ts'
import { type Terminal, toned } from './terminal.ts'
import { policyTestText } from './text/policy.ts'

export async function runPolicyTest(found: FoundConfig, casesFile: string, terminal: Terminal): Promise<ExitCode> {
  const { out, err, isOutColoured, isErrColoured } = terminal
  const error = toned(isErrColoured, 'red', 'error')
  const policies = await openPolicies(found, terminal)
  if (policies === undefined) return exitCodes.problem
  const text = readText(casesFile)
  if (!text.ok) {
    err(`${error} ${casesFile}: ${text.reason}`)
    return exitCodes.problem
  }
  const read = readCases(text.text, found.config, Date.now(), [
    ...policies.all.map(({ name }) => name),
    changedDefinitionPolicy,
  ])
  if (!read.ok) {
    for (const problem of read.problems) err(`${error} ${safeLine(problemText(casesFile, problem))}`)
    return exitCodes.problem
  }
  let failed = 0
  for (const one of read.cases) {
    const call = describedPolicyCall(one.call, found.config, policies)
    const decision = policies.decide(call)
    const problems = differences(one, decision, policies, call.person.principal, found.config.identity?.issuer)
    if (problems.length === 0) {
      out(`${toned(isOutColoured, 'green', 'ok'.padEnd(5))} ${safeLine(one.name)}`)
      continue
    }
    failed += 1
    out(
      `${toned(isOutColoured, 'red', 'error')} ${safeLine(problemText(casesFile, { path: '', words: `${one.name}: ${problems.join('; ')}`, place: one.place }))}`,
    )
    for (const line of decisionLines(found.file, call, decision, policies)) out(`      ${safeLine(line)}`)
  }
  const count = read.cases.length
  out(policyTestText.passed(count - failed, count))
  return failed === 0 ? exitCodes.ok : exitCodes.problem
}

function differences(
  { expect, policies: names, approvers }: PolicyCase,
  decision: PolicyDecision,
  policies: Policies,
  principal: string,
  issuer: string | undefined,
): string[] {
  const asks = decision.effect === 'ask' ? decision.asks : []
  const decided = [...new Set([...decision.policies, ...asks.map(({ policy }) => policy)])]
  const from = policies
    .requirementsOf(asks, principal)
    .flatMap(({ anyOf }) => anyOf.flat().flatMap((factor) => factor.from))
  return [
    ...(decision.effect === expect ? [] : [policyTestText.effect(expect, decision.effect)]),
    ...differenceOf('policies', names, decided),
    ...differenceOf(
      'approvers',
      approvers?.map((name) => withIssuer(name, issuer)),
      [...new Set(from)],
    ),
  ]
}

function differenceOf(what: string, expected: readonly string[] | undefined, found: readonly string[]): string[] {
  if (expected === undefined || [...new Set(expected)].sort().join('\n') === [...new Set(found)].sort().join('\n'))
    return []
  const { listed } = policyTestText
  return [policyTestText.list(what, listed(expected), listed(found))]
}

function withIssuer(approver: string, issuer: string | undefined): string {
  return approver.startsWith('person:')
    ? `person:${principalNamed(approver.slice('person:'.length), issuer)}`
    : approver
}

function readText(
  path: string,
): { readonly ok: true; readonly text: string } | { readonly ok: false; readonly reason: string } {
  try {
    return { ok: true, text: readFileSync(path, 'utf8') }
  } catch (error) {
    return { ok: false, reason: reasonOf(error) }
  }
}
