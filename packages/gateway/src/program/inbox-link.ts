// `assent inbox link`: prints a sign-in link to the web inbox for the person at this terminal.

import type { Command } from 'commander'
import { personalConfigOption } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { chooseInbox, type InboxChoice, InboxError, linkMinutes, whyNoLink, withInbox } from './found-inbox.ts'
import { type Terminal, toned } from './terminal.ts'
import { inboxText } from './text/inbox.ts'

const text = inboxText.link

export function addInboxLink(inbox: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  inbox
    .command('link')
    .summary(text.summary)
    .option(...personalConfigOption)
    .description(text.description(linkMinutes))
    .option('--qr', text.qr)
    .action(async ({ config: file, qr }: { config?: string; qr?: true }) => {
      const choice = chooseInbox(file, terminal)
      if (choice === undefined) return end(exitCodes.problem)
      end(
        await endedBy(terminal, async () => {
          if (qr === true) return printCode(choice, terminal)
          const reason = whyNoLink(choice.config)
          if (reason !== undefined) throw new InboxError(reason, exitCodes.problem)
          const { link } = await withInbox(choice, terminal, (found) => found.offer())
          // Only the link on standard output, for scripts.
          terminal.out(link)
          terminal.err(text.worksOnce(linkMinutes))
        }),
      )
    })
}

/** The code and the address on standard output. */
async function printCode(choice: InboxChoice, terminal: Terminal): Promise<void> {
  const [{ phoneAccess, protectionOf }, { qrText }] = await Promise.all([
    import('./phone-link.ts'),
    import('./qr-text.ts'),
  ])
  const { config } = choice
  // Settings first, without opening the store: most refusals need only them.
  const early = phoneAccess(config, { recorded: 'all', passkeys: 1 })
  const access = early.kind === 'refused' ? early : phoneAccess(config, await protectionOf(config, terminal))
  if (access.kind === 'refused') throw new InboxError(access.why, exitCodes.problem)
  const reason = access.kind === 'address' ? undefined : whyNoLink(config)
  if (reason !== undefined) throw new InboxError(reason, exitCodes.problem)
  const url =
    access.kind === 'address' ? access.url : (await withInbox(choice, terminal, (found) => found.offer())).link
  terminal.out(`${qrText(url, terminal.isOutColoured)}\n${url}`)
  terminal.err(access.kind === 'address' ? text.scanAndSignIn : text.scan(linkMinutes))
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
