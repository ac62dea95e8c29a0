// `assent inbox`: answer in the terminal.

import type { Command } from 'commander'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import { configOption, openDesk } from './open-desk.ts'
import { hearSignals } from './signals.ts'
import { type Terminal, toned } from './terminal.ts'

const notAskedHere =
  'asks.surfaces has no inbox in this configuration: people are asked in their clients, and little comes here.'

export function addInboxCommand(program: Command, terminal: Terminal, end: (code: ExitCode) => void): Command {
  return (
    program
      .command('inbox')
      // Or `inbox link --config f` would be read as ours.
      .enablePositionalOptions()
      .summary('answer what waits for you, in this terminal')
      .option(...configOption)
      .description(
        'Shows what waits for your answer, as it comes, and asks it here when you open it. What you answer counts as in the web inbox; whoever looks at it elsewhere sees it end at once.\n\nEscape leaves a question open. Approve, decline and dismiss each take a key and Enter; none is chosen beforehand.',
      )
      .addHelpText('after', '\nFor scripts: assent help asks')
      .action(async ({ config: file }: { config?: string }) => {
        const fail = (code: ExitCode, words: string) => {
          terminal.err(`${toned(terminal.isErrColoured, 'red', 'error')} ${words}`)
          end(code)
        }
        if (process.stdin.isTTY !== true || process.stdout.isTTY !== true) {
          return fail(
            exitCodes.cannotRun,
            'There is no terminal here to ask a person in. Scripts use: assent asks list --json',
          )
        }
        const opened = await openDesk(file, terminal)
        if (!opened.ok) return fail(opened.code, opened.problem.message)
        const { desk, store, tenant, person, place, config } = opened.open
        const signals = hearSignals(undefined)
        const told = new AbortController()
        void signals.stop.then(() => told.abort())
        try {
          const [{ runTerminalInbox }, { ChangeFeed }] = await Promise.all([
            import('../terminal/run-inbox.ts'),
            import('../inbox/changes.ts'),
          ])
          await runTerminalInbox({
            desk,
            feed: (onTrouble) => new ChangeFeed(store, tenant, onTrouble),
            person,
            place,
            notice:
              config.asks.surfaces.includes('inbox') || Object.keys(config.servers).length === 0 ? '' : notAskedHere,
            input: process.stdin,
            output: process.stdout,
            signal: told.signal,
          })
          end(exitCodes.ok)
        } finally {
          signals.forget()
          await store.close()
        }
      })
  )
}
