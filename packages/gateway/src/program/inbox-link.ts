// `assent inbox link`: prints a sign-in link to the web inbox for the person at this terminal.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { chooseInbox, InboxError, inboxConfigOption, linkMinutes, whyNoLink, withInbox } from './found-inbox.ts'
import { type Terminal, toned } from './terminal.ts'

export function addInboxLink(inbox: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  inbox
    .command('link')
    .summary('print a link that signs you in to the web inbox')
    .option(...inboxConfigOption)
    .description(
      `Prints a link that signs you in to the web inbox: of the gateway with this configuration, or of the programs that your agents start. It works once, within ${linkMinutes} minutes. On this machine it is valid for the process that serves the inbox now, which first has to prove its identity; over https every gateway on the same store accepts it.`,
    )
    .action(async ({ config: file }: { config?: string }) => {
      const choice = chooseInbox(file, terminal)
      if (choice === undefined) return end(exitCodes.problem)
      end(
        await endedBy(terminal, async () => {
          const reason = whyNoLink(choice.config)
          if (reason !== undefined) throw new InboxError(reason, exitCodes.problem)
          const { link } = await withInbox(choice, terminal, (found) => found.offer())
          // Only the link on standard output, for scripts.
          terminal.out(link)
          terminal.err(`The link works once, within ${linkMinutes} minutes.`)
        }),
      )
    })
}

/** Runs a command, prints why it failed, and returns its exit code. */
export async function endedBy(terminal: Terminal, run: () => Promise<void>): Promise<ExitCode> {
  try {
    await run()
    return exitCodes.ok
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${reason}`)
    return error instanceof InboxError ? error.exitCode : exitCodes.cannotRun
  }
}
