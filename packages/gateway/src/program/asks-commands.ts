// `assent asks`: list, show and answer asks, for scripts and for a quick look.
//
// With --json, standard output is one JSON object: the response of the inbox API to the same request, or the problem.
// An approval needs the digest of the approved content, so that a script cannot approve anything else.

import type { Command } from 'commander'
import { askTextOf, listTextOf } from '../inbox/terminal/ask-text.ts'
import { type AnswerOptions, answerAsk, type ListOptions, listAsks, showAsk } from './asks.ts'
import { personalConfigOption } from './config-file.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

const description =
  'Lists, shows and answers your open asks. With --json, standard output is one JSON object: the response of the inbox API, or a problem with a code and a message.'

const answerHelp = `
Examples:
  assent asks answer ask_… --accept --content '{"region":"eu"}'
  assent asks answer ask_… --accept --digest sha256:…       an approval: the digest that show prints
  assent asks answer ask_… --decline --comment "wrong region"

Exit codes:
  0  the answer was recorded
  1  the answer is invalid or the digest does not match; the ask is still open
  2  the command line is invalid
  3  the store cannot be reached, or the configuration has identity
  4  no such ask
  5  the ask has ended or was already answered; this answer changed nothing`

export function addAsksCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const asks = program.command('asks').summary('list, show and answer asks, for scripts').description(description)
  const command = (name: string, summary: string) =>
    asks
      .command(name)
      .summary(summary)
      .option(...personalConfigOption)
      .option('--json', 'one JSON object on standard output')

  command('list', 'your open asks, newest first')
    .description('Lists your open asks, newest first.')
    .option('--ended', 'list asks that have ended instead')
    .option('--server <name>', 'only asks of this server')
    .option('--kind <kind>', 'only forms, links (url) or approvals: form, url, approval')
    .option('--size <count>', 'asks on one page, at most 100', '50')
    .option('--cursor <next>', 'the `next` value of the previous page')
    .action(async (options: ListOptions) => {
      end(await listAsks(options, terminal, listTextOf))
    })

  command('show', 'show one ask, with everything needed to answer it')
    .description('Shows one ask. This does not answer it.')
    .argument('<id>', 'the complete id of the ask')
    .action(async (id: string, options: { config?: string; json?: true }) => {
      end(await showAsk(id, options, terminal, askTextOf))
    })

  command('answer', 'approve, decline or dismiss one ask')
    .description('Answers one ask: exactly one of --accept, --decline and --dismiss.')
    .argument('<id>', 'the complete id of the ask')
    .option('--accept', 'accept: with --content for a form, with --digest for an approval')
    .option('--decline', 'a no')
    .option('--dismiss', 'dismiss: the agent gets the outcome that no choice was made')
    .option('--content <json>', 'the values of the form as JSON, one member per field; - reads standard input')
    .option('--comment <text>', 'your reason; `asks show` shows whether the asker receives it or only the audit log')
    .option('--confirmed', 'send the answer although something in it looks like a secret')
    .option('--digest <digest>', 'the digest of the action that you read; required for an approval')
    .option('--decision-id <id>', 'idempotency key: the same id is recorded once; random by default')
    .addHelpText('after', answerHelp)
    .action(async (id: string, options: AnswerOptions) => {
      end(await answerAsk(id, options, terminal, askTextOf))
    })
}
