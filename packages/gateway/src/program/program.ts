// The command line: all commands, and the top-level help.

import { Command, CommanderError } from 'commander'
import { ownVersion } from '../protocol/version.ts'
import { addAsksCommands } from './asks-commands.ts'
import { addAuditCommands } from './audit-command.ts'
import { addConfigCommands } from './config-commands.ts'
import { addDoctorCommand } from './doctor-command.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { addGatewayCommand } from './gateway-command.ts'
import { addInboxCommand } from './inbox-command.ts'
import { addInboxLink } from './inbox-link.ts'
import { addInboxOpen } from './inbox-open.ts'
import { addInboxServe } from './inbox-serve.ts'
import { addInitCommand } from './init-command.ts'
import { addMigrateCommand } from './migrate-command.ts'
import { addPasskeysCommands } from './passkeys-command.ts'
import { addPlayCommand } from './play-command.ts'
import { addPolicyCommands } from './policy-commands.ts'
import { addRetainCommand } from './retain-command.ts'
import { addRunCommand } from './run-command.ts'
import { addServersCommand } from './servers-command.ts'
import type { Terminal } from './terminal.ts'
import { programText } from './text/program.ts'
import { addTryCommand } from './try-command.ts'

/** Runs one command line (without the paths of Node and the script) and returns its exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  let code: ExitCode = exitCodes.ok
  const program = commandLine(terminal, (ended) => {
    code = ended
  })
  try {
    if (args.length === 0) program.help({ error: true })
    await program.parseAsync(args, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
  }
  return code
}

/** Every command with its options. */
export function commandLine(terminal: Terminal, end: (code: ExitCode) => void): Command {
  const program = new Command('assent')
    .description(programText.description)
    .version(ownVersion(), '-v, --version', programText.version)
    .helpOption('-h, --help', programText.help)
    .helpCommand('help [command]', programText.helpCommand)
    .addHelpText('after', programText.gettingStarted)
    // Otherwise the --config of `inbox link` would be parsed as that of `inbox`.
    .enablePositionalOptions()
    .showHelpAfterError(programText.afterError)
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
      getOutHasColors: () => terminal.isOutColoured,
      getErrHasColors: () => terminal.isErrColoured,
    })
    .exitOverride()
  addTryCommand(program, terminal, end)
  addGatewayCommand(program, terminal, end)
  addServersCommand(program, terminal, end)
  addConfigCommands(program, terminal, end)
  addPolicyCommands(program, terminal, end)
  addAuditCommands(program, terminal, end)
  addMigrateCommand(program, terminal, end)
  addRetainCommand(program, terminal, end)
  addPlayCommand(program, terminal, end)
  addRunCommand(program, terminal, end)
  addPasskeysCommands(program, terminal, end)
  const inbox = addInboxCommand(program, terminal, end)
  addInboxOpen(inbox, terminal, end)
  addInboxLink(inbox, terminal, end)
  addInboxServe(inbox, terminal, end)
  addAsksCommands(program, terminal, end)
  addInitCommand(program, terminal, end)
  addDoctorCommand(program, terminal, end)
  for (const command of everyCommand(program)) command.copyInheritedSettings(program).exitOverride()
  return program
}

export function everyCommand(command: Command): Command[] {
  return command.commands.flatMap((one) => [one, ...everyCommand(one)])
}
