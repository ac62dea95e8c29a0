// `assent passkeys`: removes all passkeys of the person at this machine, who lost them.
//
// Any program of this account can run it too. It cannot be prevented there, so it is recorded in the audit log and shown.

import { isAssentError } from '@assent/core'
import type { Command } from 'commander'
import { storeConfigOption } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { openAskService } from './open-ask-service.ts'
import { type Terminal, toned } from './terminal.ts'

export function addPasskeysCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const passkeys = program.command('passkeys').summary('remove your passkeys after you lost them')
  passkeys
    .command('reset')
    .summary('remove all your passkeys, so that you can add a new one')
    .option(...storeConfigOption)
    .description(
      'Removes all passkeys of the person at this machine. Use it when you have lost them; otherwise remove one in the inbox, at /passkeys. The audit log records it, and the inbox shows it for seven days. Not for a configuration with identity.',
    )
    .action(async ({ config }: { config?: string }) => {
      const fail = (code: ExitCode, words: string) => {
        terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
        end(code)
      }
      const opened = await openAskService(config, terminal)
      if (!opened.ok) return fail(opened.code, opened.problem.message)
      const { store, tenant, person } = opened.open
      try {
        const removed = await store.passkeys.reset({ tenant, principal: person.principal })
        const words =
          removed === 0 ? 'You have no passkeys.' : `Removed ${removed}. Add a new one in the inbox, at /passkeys.`
        terminal.out(words)
        end(exitCodes.ok)
      } catch (error) {
        if (!isAssentError(error, 'store_unavailable')) throw error
        fail(exitCodes.cannotRun, error.message)
      } finally {
        await store.close()
      }
    })
}
