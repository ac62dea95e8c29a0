// `assent passkeys`: removes all passkeys of a person who lost them.
//
// Any program of this account can run it too. It cannot be prevented there, so it is recorded in the audit log and shown.

import type { Command } from 'commander'
import { personalConfigOption } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { type ResetOptions, resetPasskeys } from './passkeys-reset.ts'
import { type Terminal, toned } from './terminal.ts'

export function addPasskeysCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const passkeys = program.command('passkeys').summary('remove passkeys that were lost')
  passkeys
    .command('reset')
    .summary('remove all passkeys of a person, so that they can add a new one')
    .option(...personalConfigOption)
    .option('--person <subject>', 'with identity: the person, by their subject at the issuer')
    .description(
      'Removes all passkeys of the person at this machine, or, with identity, of the person that --person names. Use it when they are lost; otherwise remove one in the inbox, at /passkeys. The audit log records it with the name of your account, and the inbox shows it to the person for seven days.',
    )
    .addHelpText(
      'after',
      `
Examples:
  assent passkeys reset
  assent passkeys reset --config /etc/assent/assent.yaml --person 8f14e45f

Exit codes:
  0  the passkeys were removed, or you have none
  1  the configuration has mistakes, or the person has no passkeys
  2  the command line is invalid, or --person is missing
  3  the store cannot be reached`,
    )
    .action(async (options: ResetOptions) => {
      const { code, text } = await resetPasskeys(options, terminal)
      if (code === exitCodes.ok) terminal.out(text)
      else terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${text}`)
      end(code)
    })
}
