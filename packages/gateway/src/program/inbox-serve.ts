// `assent inbox serve`: the inbox in the background. Other commands start it; it is not listed in the help.

import type { Command } from 'commander'
import type { ExitCode } from './exit-codes.ts'
import { serveStandalone } from './standalone/serve-standalone.ts'
import type { Terminal } from './terminal.ts'
import { inboxText } from './text/inbox.ts'

export function addInboxServe(inbox: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  inbox
    .command('serve', { hidden: true })
    .description(inboxText.serve.description)
    .action(async () => end(await serveStandalone(terminal, 'assent')))
}
