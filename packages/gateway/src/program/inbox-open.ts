// `assent inbox open`: opens the web inbox in the browser, signed in, and starts it if no process serves it.

import type { Command } from 'commander'
import { personalConfigOption } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import {
  chooseInbox,
  type InboxChoice,
  InboxError,
  linkMinutes,
  type SignInOffer,
  whyNoLink,
  withInbox,
} from './found-inbox.ts'
import { endedBy } from './inbox-link.ts'
import { startBackgroundInbox } from './standalone/background-inbox.ts'
import { hasDesktop, launch, openCommand } from './standalone/desktop.ts'
import { standaloneLimits } from './standalone/limits.ts'
import type { Terminal } from './terminal.ts'
import { inboxText } from './text/inbox.ts'

const text = inboxText.open

export function addInboxOpen(inbox: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  inbox
    .command('open')
    .summary(text.summary)
    .option(...personalConfigOption)
    .description(text.description(standaloneLimits.backgroundIdleMs / 60_000))
    .action(async ({ config: file }: { config?: string }) => {
      const choice = chooseInbox(file, terminal)
      if (choice === undefined) return end(exitCodes.problem)
      end(await endedBy(terminal, () => openInboxPage(choice, terminal)))
    })
}

async function openInboxPage(choice: InboxChoice, terminal: Terminal): Promise<void> {
  const { asks, identity, inbox } = choice.config
  const { variables, program } = terminal
  if (identity !== undefined && inbox.url !== undefined && asks.surfaces.includes('inbox'))
    return openAddress(inbox.url.href, terminal)
  const reason = whyNoLink(choice.config)
  if (reason !== undefined) throw new InboxError(reason, exitCodes.problem)
  const start =
    choice.isStandalone && program !== undefined ? () => startBackgroundInbox(program, variables) : undefined
  await withInbox(
    choice,
    terminal,
    async (found) => {
      const offer = await found.offer()
      if (hasDesktop(process.platform, variables)) await openOffer(offer, terminal)
      else printOffer(offer, terminal)
    },
    start,
  )
}

/** People sign in with their own account there, so the address is no secret. */
async function openAddress(address: string, { variables, out, err }: Terminal): Promise<void> {
  const command = openCommand(address, process.platform, variables)
  if (command === undefined) {
    out(address)
    return err(text.openAddress)
  }
  await launch(command, variables).catch((error: unknown) => {
    throw new InboxError(text.addressFailed(message(error), address))
  })
  err(text.openedAddress(address))
}

export async function openOffer(offer: SignInOffer, terminal: Terminal): Promise<void> {
  const [{ openSignedIn }, { sleep }] = await Promise.all([
    import('./standalone/open-signed-in.ts'),
    import('../protocol/sleep.ts'),
  ])
  const file = await openSignedIn(offer.link, terminal.variables).catch((error: unknown) => {
    throw new InboxError(text.useLink(message(error)))
  })
  try {
    const giveUpAtMs = performance.now() + standaloneLimits.signInMs
    while (performance.now() < giveUpAtMs) {
      if (!(await offer.isUnused())) return terminal.err(text.opened)
      await sleep(standaloneLimits.lookAgainMs)
    }
  } finally {
    file.remove()
  }
  throw new InboxError(text.useLink(text.notOpened))
}

function printOffer({ link }: SignInOffer, { out, err }: Terminal): void {
  const { host, port } = new URL(link)
  out(link)
  err(text.openLink(linkMinutes, host, port))
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
