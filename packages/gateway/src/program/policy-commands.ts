// `assent policy`: checks policies, explains a decision, runs test cases.

import type { Command } from 'commander'
import { gatewayConfigOption, loadOrExplain, usualFile } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { ExplainOptions } from './policy-explain.ts'
import type { Terminal } from './terminal.ts'

export function addPolicyCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const policy = program.command('policy').summary('check policies, explain a decision, run test cases')
  policy.description('Checks policies, explains what they decide about a call, and runs test cases.')

  policy
    .command('check')
    .argument('[file]', 'the configuration, YAML or JSON', usualFile)
    .option('--live', 'also compare with the tools of the servers')
    .summary('list all mistakes in policies')
    .description(
      'Reads the policies of a configuration and its Cedar files and reports every mistake with its line, its column and a correction: unknown settings, groups and servers, Cedar that does not parse, requirements that cannot be met.\n\nWith --live it connects to every server, as `assent servers` does, and compares the policies with the tools: arguments that no tool has, policies that match no tool, tools that no policy allows.',
    )
    .addHelpText(
      'after',
      codes('no mistakes; there may be warnings', 'a mistake was found, or a server cannot be used'),
    )
    .action(async (file: string, { live }: { live?: true }) => {
      const found = loadOrExplain(file, terminal)
      if (found === undefined) return end(exitCodes.problem)
      const { runPolicyCheck } = await import('./policy-check.ts')
      end(await runPolicyCheck(found, live === true, terminal))
    })

  policy
    .command('explain')
    .option(...gatewayConfigOption)
    .option('--tool <server/name>', 'explain a call of this tool')
    .option('--prompt <server/name>', 'explain a request for this prompt')
    .option('--resource <server/address>', 'explain a read of this resource')
    .option('--args <json>', 'the arguments of the call, as a JSON object', '{}')
    .option('--person <subject>', 'the person who calls, by subject')
    .option('--groups <names>', "the person's groups at the issuer, with commas")
    .option('--at <time>', 'the time of the call, such as 2026-11-17T22:00:00Z (default: now)')
    .option('--live', "connect to the servers for the tool's annotations and input schema")
    .summary('print policies as Cedar, or explain the decision about one call')
    .description(
      'Without a call, prints every policy as Cedar text. With --tool, --prompt or --resource, prints what is decided about that call, by which policies, and who must approve it. Nothing is called.',
    )
    .addHelpText('after', codes('printed', 'the configuration has a mistake'))
    .action(async (options: ExplainOptions) => {
      const found = loadOrExplain(options.config, terminal)
      if (found === undefined) return end(exitCodes.problem)
      const { runPolicyExplain } = await import('./policy-explain.ts')
      end(await runPolicyExplain(found, options, terminal))
    })

  policy
    .command('test')
    .argument('<cases>', 'the test cases, YAML or JSON')
    .option(...gatewayConfigOption)
    .summary('run test cases against the policies')
    .description(
      'Decides every call of a file of test cases with the policies of a configuration and compares the decision with the expected one. Nothing is called, and no server is started.\n\nA case: { name: staging, tool: deploy/rollout, arguments: { env: staging }, person: ann, groups: [engineers], expect: allow }. Optional: prompt or resource instead of tool; annotations and schema of the tool; at, the time of the call; policies, the names of the policies that decide; approvers, such as [group:release-managers].',
    )
    .addHelpText('after', codes('every case passes', 'a case fails, or a file has a mistake'))
    .action(async (cases: string, { config }: { config?: string }) => {
      const found = loadOrExplain(config, terminal)
      if (found === undefined) return end(exitCodes.problem)
      const { runPolicyTest } = await import('./policy-test.ts')
      end(await runPolicyTest(found, cases, terminal))
    })
}

function codes(ok: string, problem: string): string {
  return `
Exit codes:
  0  ${ok}
  1  ${problem}
  2  the command line is invalid`
}
