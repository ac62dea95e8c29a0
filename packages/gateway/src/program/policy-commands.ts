// `assent policy`: checks policies, explains a decision, runs test cases.

import type { Command } from 'commander'
import { gatewayConfigOption, loadOrExplain, usualFile } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { ExplainOptions } from './policy-explain.ts'
import { type Terminal, toned } from './terminal.ts'
import { policyHelp } from './text/policy.ts'
import { recordedText } from './text/policy-recorded.ts'

interface TestOptions {
  readonly config?: string
  readonly recorded?: string
  readonly live?: true
}

export function addPolicyCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const policy = program.command('policy').summary(policyHelp.summary)
  policy.description(policyHelp.description)

  policy
    .command('check')
    .argument('[file]', policyHelp.check.file, usualFile)
    .option('--live', policyHelp.check.live)
    .summary(policyHelp.check.summary)
    .description(policyHelp.check.description)
    .addHelpText('after', policyHelp.check.after)
    .action(async (file: string, { live }: { live?: true }) => {
      const found = loadOrExplain(file, terminal)
      if (found === undefined) return end(exitCodes.problem)
      const { runPolicyCheck } = await import('./policy-check.ts')
      end(await runPolicyCheck(found, live === true, terminal))
    })

  policy
    .command('explain')
    .option(...gatewayConfigOption)
    .option('--tool <server/name>', policyHelp.explain.tool)
    .option('--prompt <server/name>', policyHelp.explain.prompt)
    .option('--resource <server/address>', policyHelp.explain.resource)
    .option('--args <json>', policyHelp.explain.args, '{}')
    .option('--person <subject>', policyHelp.explain.person)
    .option('--groups <names>', policyHelp.explain.groups)
    .option('--roles <names>', policyHelp.explain.roles)
    .option('--address <ip>', policyHelp.explain.address)
    .option('--definition-changed', policyHelp.explain.definitionChanged)
    .option('--at <time>', policyHelp.explain.at)
    .option('--live', policyHelp.explain.live)
    .summary(policyHelp.explain.summary)
    .description(policyHelp.explain.description)
    .addHelpText('after', policyHelp.explain.after)
    .action(async (options: ExplainOptions) => {
      const found = loadOrExplain(options.config, terminal)
      if (found === undefined) return end(exitCodes.problem)
      const { runPolicyExplain } = await import('./policy-explain.ts')
      end(await runPolicyExplain(found, options, terminal))
    })

  policy
    .command('test')
    .argument('[cases]', policyHelp.test.cases)
    .option(...gatewayConfigOption)
    .option('--recorded <duration>', policyHelp.test.recorded)
    .option('--live', policyHelp.test.live)
    .summary(policyHelp.test.summary)
    .description(policyHelp.test.description)
    .addHelpText('after', policyHelp.test.after)
    .action(async (cases: string | undefined, { config, recorded, live }: TestOptions) => {
      if ((cases === undefined) === (recorded === undefined)) {
        const words = cases === undefined ? recordedText.neither : recordedText.casesOrRecorded
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
        return end(exitCodes.usage)
      }
      const found = loadOrExplain(config, terminal)
      if (found === undefined) return end(exitCodes.problem)
      if (recorded !== undefined) {
        const { runPolicyRecorded } = await import('./policy-recorded.ts')
        return end(await runPolicyRecorded(found, { recorded, ...(live === true ? { live } : {}) }, terminal))
      }
      const { runPolicyTest } = await import('./policy-test.ts')
      end(await runPolicyTest(found, cases ?? '', terminal))
    })
}
