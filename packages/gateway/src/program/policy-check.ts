// Implements `assent policy check`.

import { Policies, type PolicyFinding, type PolicyProblem, policyFindings } from '@assent/policy'
import { nearest } from '../config/nearest.ts'
import { safeLine } from '../inbox/terminal/safe-json.ts'
import type { FoundConfig } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { liveTools } from './policy-tools.ts'
import { type Terminal, toned } from './terminal.ts'
import { policyCheckText } from './text/policy.ts'

export async function runPolicyCheck(found: FoundConfig, isLive: boolean, terminal: Terminal): Promise<ExitCode> {
  const { file, config } = found
  const { out, isOutColoured } = terminal
  if (config.policies === undefined) {
    out(`${toned(isOutColoured, 'green', 'ok')} ${policyCheckText.noPolicies(file)}`)
    return exitCodes.ok
  }
  const policies = await openPolicies(found, terminal)
  if (policies === undefined) return exitCodes.problem
  const tools = isLive ? await liveTools(config, terminal) : undefined
  const findings = await policyFindings(config.policies, {
    nearest,
    ...(tools === undefined ? {} : { tools: tools.known }),
  })
  printPolicyFindings(file, findings, terminal)
  const errors = findings.filter(({ level }) => level === 'error').length
  const warnings = findings.length - errors
  const isOk = errors === 0 && tools?.ok !== false
  out(
    `${isOk ? toned(isOutColoured, 'green', 'ok') : toned(isOutColoured, 'red', 'error')} ${policyCheckText.result(file, policies.all.length, errors, warnings)}`,
  )
  return isOk ? exitCodes.ok : exitCodes.problem
}

/** The policies of a configuration that has some; undefined if they have a mistake, which is printed. */
export async function openPolicies({ file, config }: FoundConfig, terminal: Terminal): Promise<Policies | undefined> {
  if (config.policies === undefined) {
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${policyCheckText.policiesNeeded(file)}`)
    return undefined
  }
  const opened = await Policies.open(config.policies, nearest)
  if (opened instanceof Policies) return opened
  const problems = opened.map((problem): PolicyFinding => ({ level: 'error', ...problem }))
  printPolicyFindings(file, problems, terminal)
  terminal.err(policyCheckText.mistakes(problems.length, file))
  return undefined
}

function printPolicyFindings(file: string, findings: readonly PolicyFinding[], terminal: Terminal): void {
  const { err, isErrColoured } = terminal
  for (const finding of findings) {
    const level =
      finding.level === 'error' ? toned(isErrColoured, 'red', 'error') : toned(isErrColoured, 'yellow', 'warning')
    err(`${level} ${policyProblemText(file, finding)}`)
  }
}

/** `assent.yaml:3:9: … Did you mean …?` Names of tools in it come from servers. */
function policyProblemText(file: string, { place, problem, suggestion }: PolicyProblem): string {
  const where = `${place.file ?? file}:${place.line}:${place.column}`
  return safeLine(`${where}: ${problem}${suggestion === undefined ? '' : ` ${suggestion}`}`)
}
