// Implements `assent policy explain`.

import { isIP } from 'node:net'
import { AssentError, isPlainObject, type JsonObject, parseJsonStrictly } from '@assent/core'
import type { Policies } from '@assent/policy'
import { safeLine } from '../inbox/terminal/safe-json.ts'
import type { FoundConfig } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type DescribedCall, describedPolicyCall, targetProblem, timeIn } from './policy-call.ts'
import { openPolicies } from './policy-check.ts'
import { liveTools } from './policy-tools.ts'
import { decisionLines } from './policy-words.ts'
import { type Terminal, toned } from './terminal.ts'
import { policyExplainText } from './text/policy.ts'

/** As commander reads them. */
export interface ExplainOptions {
  readonly config?: string
  readonly tool?: string
  readonly prompt?: string
  readonly resource?: string
  readonly args?: string
  readonly person?: string
  readonly groups?: string
  readonly roles?: string
  readonly address?: string
  readonly definitionChanged?: true
  readonly at?: string
  readonly live?: true
}

export async function runPolicyExplain(
  found: FoundConfig,
  options: ExplainOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const policies = await openPolicies(found, terminal)
  if (policies === undefined) return exitCodes.problem
  const described = describedBy(options, found)
  if (described === undefined) return await printCedar(found.file, policies, terminal)
  if (typeof described === 'string') {
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${described}`)
    return exitCodes.usage
  }
  const tools = options.live === true ? await liveTools(found.config, terminal) : undefined
  const tool = tools?.known.find(
    ({ server, name }) => described.kind === 'tools' && described.target === `${server}/${name}`,
  )
  if (tools !== undefined && tool === undefined && described.kind === 'tools') {
    terminal.err(
      `${toned(terminal.isErrColoured, 'red', 'error')} ${safeLine(policyExplainText.unknownTool(described.target))}`,
    )
    return exitCodes.problem
  }
  const { annotations, schema } = tool ?? {}
  const call = describedPolicyCall(
    {
      ...described,
      ...(annotations === undefined ? {} : { annotations }),
      ...(schema === undefined ? {} : { schema }),
    },
    found.config,
    policies,
  )
  for (const line of decisionLines(found.file, call, policies.decide(call), policies)) terminal.out(safeLine(line))
  const dryRun = policies.dryRun(call)
  if (dryRun !== undefined) {
    terminal.out(policyExplainText.dryRun)
    for (const line of decisionLines(found.file, call, dryRun, policies)) terminal.out(`  ${safeLine(line)}`)
  }
  if (tools === undefined && described.kind === 'tools') {
    terminal.out(policyExplainText.notLive)
  }
  return exitCodes.ok
}

/** The call of the options; undefined without one, and a text if an option is invalid. */
function describedBy(options: ExplainOptions, { config }: FoundConfig): DescribedCall | string | undefined {
  const { tool, prompt, resource, person } = options
  const given = Object.entries({ tools: tool, prompts: prompt, resources: resource }).filter(
    ([, one]) => one !== undefined,
  )
  const [[kind, target] = ['tools', undefined], ...more] = given
  if (target === undefined) return undefined
  if (more.length > 0) return policyExplainText.oneTarget
  const wrong = targetProblem(target, config)
  if (wrong !== undefined) return policyExplainText.invalidTarget(target, wrong.problem, wrong.suggestion)
  const args = argumentsIn(options.args ?? '{}')
  if (typeof args === 'string') return args
  const atMs = options.at === undefined ? Date.now() : timeIn(options.at)
  if (options.address !== undefined && isIP(options.address) === 0) return policyExplainText.address
  if (Number.isNaN(atMs)) return policyExplainText.at
  return {
    kind: kind as DescribedCall['kind'],
    target,
    arguments: args,
    ...(person === undefined ? {} : { person }),
    groups: namesIn(options.groups),
    roles: namesIn(options.roles),
    ...(options.address === undefined ? {} : { address: options.address }),
    ...(options.definitionChanged === true ? { isDefinitionChanged: true } : {}),
    atMs,
  }
}

function argumentsIn(text: string): JsonObject | string {
  try {
    const value = parseJsonStrictly(text)
    return isPlainObject(value) ? (value as JsonObject) : policyExplainText.args
  } catch (error) {
    if (error instanceof AssentError) return policyExplainText.argsProblem(error.message)
    throw error
  }
}

function namesIn(text = ''): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

async function printCedar(file: string, policies: Policies, { out }: Terminal): Promise<ExitCode> {
  for (const [index, text] of (await policies.cedarTexts()).entries()) {
    const place = policies.all[index]?.place
    out(`// ${place?.file ?? file}:${place?.line}:${place?.column}`)
    out(`${text}\n`)
  }
  return exitCodes.ok
}
