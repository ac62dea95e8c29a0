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
import { addRunCommand } from './run-command.ts'
import { addServersCommand } from './servers-command.ts'
import type { Terminal } from './terminal.ts'
import { addTryCommand } from './try-command.ts'

const description = `Your agent asks. You answer. Only what you approved runs.

Assent sits between agents and MCP servers. When a server needs a person, the question reaches the right one, in every revision of the protocol, and the answer is returned.`

const gettingStarted = `
With a coding agent:
  1. See a sample question: npx assent try
  2. Set up your clients:   npx assent init
  3. Answer its questions in your client, with assent inbox here, or in the browser: assent inbox open
  Without a command, it is the MCP server that clients start: tools for asking a person, and one inbox for all windows.

As a gateway for your MCP servers:
  1. Write assent.yaml:
       servers:
         files: { command: npx, args: [-y, "@modelcontextprotocol/server-filesystem", .] }
  2. Check it:                  assent config check
  3. Check the servers:         assent servers
  4. Start:                     assent gateway
  5. Point your client at       http://127.0.0.1:7420/mcp

Exit codes:
  0  no problems
  1  a problem was found, such as a mistake in a configuration
  2  the command line is invalid
  3  it cannot run: a port is taken, the store cannot be reached
  4  no such ask
  5  the ask has ended or was already answered; this answer changed nothing

Colours are used on a terminal only, and not where NO_COLOR is set. Help for one command: assent help <command>`

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
    .description(description)
    .version(ownVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'help for a command')
    .addHelpText('after', gettingStarted)
    // Otherwise the --config of `inbox link` would be parsed as that of `inbox`.
    .enablePositionalOptions()
    .showHelpAfterError('(assent --help lists all commands)')
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
