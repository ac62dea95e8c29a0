// `assent retain`: erases and deletes what `retention` no longer keeps, or the data of one person.
//
// It connects as the role that owns the tables (`--store`): the role of the gateways can change no entry of the audit log.

import type { Command } from 'commander'
import { storeConfigOption } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { RetainOptions } from './retain.ts'
import { type Terminal, toned } from './terminal.ts'
import { retainText as text } from './text/retain.ts'

export function addRetainCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  program
    .command('retain')
    .summary(text.summary)
    .option(...storeConfigOption)
    .option('--store <address>', text.store)
    .option('--person <subject>', text.person)
    .option('--dry-run', text.dryRun)
    .description(text.description)
    .addHelpText('after', text.after)
    .action(async (options: RetainOptions) => {
      const { retain } = await import('./retain.ts')
      const { code, words } = await retain(options, terminal)
      if (code === exitCodes.ok) terminal.out(`${toned(terminal.isOutColoured, 'green', 'ok')} ${words}`)
      else terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
      end(code)
    })
}
