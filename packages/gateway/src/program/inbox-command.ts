// `assent inbox`: answers asks in the terminal.

import type { Command } from 'commander'
import { personalConfigOption } from './config-file.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { openAskService } from './open-ask-service.ts'
import { handleSignals } from './signals.ts'
import { type Terminal, toned } from './terminal.ts'
import { inboxText } from './text/inbox.ts'

const text = inboxText.terminal

export function addInboxCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): Command {
  return (
    program
      .command('inbox')
      // Otherwise `--config` in `inbox link --config f` would be parsed as an option of `inbox`.
      .enablePositionalOptions()
      .summary(text.summary)
      .option(...personalConfigOption)
      .description(text.description)
      .addHelpText('after', text.after)
      .action(async ({ config: file }: { config?: string }) => {
        const fail = (code: ExitCode, words: string) => {
          terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
          end(code)
        }
        if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
          return fail(exitCodes.cannotRun, text.noTerminal)
        }
        const opened = await openAskService(file, terminal)
        if (!opened.ok) return fail(opened.code, opened.problem.message)
        const { service, store, tenant, person, place, config } = opened.open
        const signals = handleSignals(undefined)
        const stopping = new AbortController()
        void signals.stop.then(() => stopping.abort())
        try {
          const [{ runTerminalInbox }, { ChangeFeed }] = await Promise.all([
            import('../inbox/terminal/run-inbox.ts'),
            import('../inbox/changes.ts'),
          ])
          await runTerminalInbox({
            service,
            feed: (onError) => new ChangeFeed(store, tenant, onError),
            person,
            place,
            notice:
              config.asks.surfaces.includes('inbox') || Object.keys(config.servers).length === 0
                ? ''
                : text.notAskedHere,
            input: process.stdin,
            output: process.stdout,
            signal: stopping.signal,
          })
          end(exitCodes.ok)
        } finally {
          signals.remove()
          await store.close()
        }
      })
  )
}
