// `assent asks`: list, count, show and answer asks, for scripts and for a quick look.
//
// With --json, standard output is one JSON object: the response of the inbox API to the same request, or the problem.
// An approval needs the digest of the approved content, so that a script cannot approve anything else.

import type { Command } from 'commander'
import { terminalInboxLimits } from '../inbox/limits.ts'
import { askTextOf, listTextOf } from '../inbox/terminal/ask-text.ts'
import { askListText } from '../inbox/terminal/text/ask-list.ts'
import { statisticsLines } from './ask-statistics.ts'
import {
  type AnswerOptions,
  answerAsk,
  askStatistics,
  type ListOptions,
  listAsks,
  type StatsOptions,
  showAsk,
} from './asks.ts'
import { personalConfigOption } from './config-file.ts'
import type { ExitCode } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'
import { asksText } from './text/asks.ts'

export function addAsksCommands(program: Command, terminal: Terminal, end: (code: ExitCode) => void): void {
  const { help, list, stats, show, answer } = asksText
  const asks = program.command('asks').summary(help.summary).description(help.description)
  const command = (name: string, summary: string) =>
    asks
      .command(name)
      .summary(summary)
      .option(...personalConfigOption)
      .option('--json', help.json)

  command('list', list.summary)
    .description(list.description)
    .option('--ended', list.ended)
    .option('--server <name>', list.server)
    .option('--kind <kind>', list.kind)
    .option('--outcome <outcome>', list.outcome)
    .option('--search <words>', list.search)
    .option('--agent <name>', list.agent)
    .option('--project <folder>', list.project)
    .option('--all', list.all(terminalInboxLimits.asksListed))
    .option('--size <count>', list.size, '50')
    .option('--cursor <next>', list.cursor)
    .addHelpText('after', list.after)
    .action(async (options: ListOptions) => {
      end(await listAsks(options, terminal, (page) => listTextOf(page, emptyListText(options))))
    })

  command('stats', stats.summary)
    .description(stats.description)
    .option('--days <count>', stats.days, '30')
    .action(async (options: StatsOptions) => {
      end(await askStatistics(options, terminal, statisticsLines))
    })

  command('show', show.summary)
    .description(show.description)
    .argument('<id>', help.id)
    .action(async (id: string, options: { config?: string; json?: true }) => {
      end(await showAsk(id, options, terminal, askTextOf))
    })

  command('answer', answer.summary)
    .description(answer.description)
    .argument('<id>', help.id)
    .option('--accept', answer.accept)
    .option('--decline', answer.decline)
    .option('--dismiss', answer.dismiss)
    .option('--content <json>', answer.content)
    .option('--comment <text>', answer.comment)
    .option('--confirmed', answer.confirmed)
    .option('--digest <digest>', answer.digest)
    .option('--decision-id <id>', answer.decisionId)
    .addHelpText('after', answer.after)
    .action(async (id: string, options: AnswerOptions) => {
      end(await answerAsk(id, options, terminal, askTextOf))
    })
}

function emptyListText(options: ListOptions): string {
  const { server, kind, outcome, agent, project, search, ended } = options
  const isFiltered = [server, kind, outcome, agent, project, search].some((one) => one !== undefined)
  if (isFiltered) return askListText.noMatch
  return ended === true ? askListText.noneEnded : askListText.none
}
