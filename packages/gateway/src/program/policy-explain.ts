// Implements `assent policy explain`.

import { AssentError, isPlainObject, type JsonObject, parseJsonStrictly } from '@assent/core'
import type { Policies } from '@assent/policy'
import { safeLine } from '../inbox/terminal/safe-json.ts'
import type { FoundConfig } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type DescribedCall, policyCallOf, targetProblem } from './policy-call.ts'
import { openPolicies } from './policy-check.ts'
import { liveTools } from './policy-tools.ts'
import { decisionLines } from './policy-words.ts'
import { type Terminal, toned } from './terminal.ts'

/** As commander reads them. */
export interface ExplainOptions {
  readonly config?: string
  readonly tool?: string
  readonly prompt?: string
  readonly resource?: string
  readonly args?: string
  readonly person?: string
  readonly groups?: string
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
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${safeLine(`Unknown tool ${described.target}.`)}`)
    return exitCodes.problem
  }
  const { annotations, schema } = tool ?? {}
  const call = policyCallOf(
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
    terminal.out('The policies in dry run would have decided:')
    for (const line of decisionLines(found.file, call, dryRun, policies)) terminal.out(`  ${safeLine(line)}`)
  }
  if (tools === undefined && described.kind === 'tools') {
    terminal.out("Without --live, the tool's annotations and input schema are unknown: it counts as destructive.")
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
  if (more.length > 0) return 'Give one of --tool, --prompt and --resource.'
  const wrong = targetProblem(target, config)
  if (wrong !== undefined) return `${target} ${wrong.problem}. ${wrong.suggestion ?? ''}`.trimEnd()
  const args = argumentsIn(options.args ?? '{}')
  if (typeof args === 'string') return args
  const atMs = options.at === undefined ? Date.now() : Date.parse(options.at)
  if (Number.isNaN(atMs)) return '--at must be a time, such as 2026-11-17T22:00:00Z.'
  return {
    kind: kind as DescribedCall['kind'],
    target,
    arguments: args,
    ...(person === undefined ? {} : { person }),
    groups: namesIn(options.groups),
    atMs,
  }
}

function argumentsIn(text: string): JsonObject | string {
  try {
    const value = parseJsonStrictly(text)
    return isPlainObject(value) ? (value as JsonObject) : '--args must be a JSON object, such as {"env":"production"}.'
  } catch (error) {
    if (error instanceof AssentError) return `--args: ${error.message}`
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
