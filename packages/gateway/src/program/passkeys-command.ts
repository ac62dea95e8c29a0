// `assent passkeys`: removes all passkeys of a person who lost them.
//
// Any program of this account can run it too. It cannot be prevented there, so it is recorded in the audit log and shown.

import type { Command } from 'commander'
import { personalConfigOption } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type ResetOptions, resetPasskeys } from './passkeys-reset.ts'
import { type Terminal, toned } from './terminal.ts'
import { passkeysHelp as help } from './text/help.ts'

export function addPasskeysCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const passkeys = program.command('passkeys').summary(help.summary)
  passkeys
    .command('reset')
    .summary(help.reset)
    .option(...personalConfigOption)
    .option('--person <subject>', help.person)
    .description(help.description)
    .addHelpText('after', help.after)
    .action(async (options: ResetOptions) => {
      const { code, text } = await resetPasskeys(options, terminal)
      if (code === exitCodes.ok) terminal.out(text)
      else terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${text}`)
      end(code)
    })
}
