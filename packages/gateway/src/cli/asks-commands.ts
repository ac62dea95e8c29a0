// `assent asks`: list, show and answer, for scripts and for a quick look.
//
// With --json, standard output is one JSON object: what the inbox's API answers to the same request, or its problem. An
// approval needs the digest of what was read, so that a script cannot approve anything else.

import type { Command } from 'commander'
import { askTextOf, listTextOf } from '../terminal/ask-text.ts'
import { type AnswerOptions, answerAsk, type ListOptions, listAsks, showAsk } from './asks.ts'
import type { ExitCode } from './exit-codes.ts'
import { configOption } from './open-desk.ts'
import type { Terminal } from './terminal.ts'

const description =
  'Lists, shows and answers what waits for you. With --json, standard output is one JSON object: what the API of the inbox answers, or its problem with a code and a message.'

const answerHelp = `
Examples:
  assent asks answer ask_… --accept --content '{"region":"eu"}'
  assent asks answer ask_… --accept --digest sha256:…       an approval: the digest that show prints
  assent asks answer ask_… --decline --comment "wrong region"

It ends with
  0  the answer counts
  1  it does not fit, or the digest is another one; the ask is still open
  2  the command line is wrong
  3  the store cannot be reached, or the configuration has identity
  4  there is no such ask
  5  the ask has ended or was answered before; this answer changed nothing`

export function addAsksCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const asks = program.command('asks').summary('list, show and answer asks, for scripts').description(description)
  const command = (name: string, summary: string) =>
    asks
      .command(name)
      .summary(summary)
      .option(...configOption)
      .option('--json', 'one JSON object on standard output')

  command('list', 'what waits for your answer, newest first')
    .description('Lists what waits for your answer, newest first.')
    .option('--ended', 'what no longer waits, instead')
    .option('--server <name>', 'only what this server asks')
    .option('--kind <kind>', 'only forms, links (url) or approvals: form, url, approval')
    .option('--size <count>', 'asks on one page, at most 100', '50')
    .option('--cursor <next>', 'the next of the page before')
    .action(async (options: ListOptions) => {
      end(await listAsks(options, terminal, listTextOf))
    })

  command('show', 'one ask, with everything that an answer needs')
    .description('Shows one ask. Looking decides nothing.')
    .argument('<id>', 'the id of the ask, whole')
    .action(async (id: string, options: { config?: string; json?: true }) => {
      end(await showAsk(id, options, terminal, askTextOf))
    })

  command('answer', 'approve, decline or dismiss one ask')
    .description('Answers one ask: exactly one of --accept, --decline and --dismiss.')
    .argument('<id>', 'the id of the ask, whole')
    .option('--accept', 'a yes: with --content for a form, with --digest for an approval')
    .option('--decline', 'a no')
    .option('--dismiss', 'no choice: the agent is told that you made none')
    .option('--content <json>', 'what is filled in, one member for each field; - reads it from standard input')
    .option('--comment <text>', 'your reason; `asks show` says whether the asker receives it or only the audit log')
    .option('--confirmed', 'send the answer although something in it looks like a secret')
    .option('--digest <digest>', 'of the action that you read; an approval is refused without it')
    .option('--decision-id <id>', 'the same id again is the same answer, counted once; made up unless given')
    .addHelpText('after', answerHelp)
    .action(async (id: string, options: AnswerOptions) => {
      end(await answerAsk(id, options, terminal, askTextOf))
    })
}
